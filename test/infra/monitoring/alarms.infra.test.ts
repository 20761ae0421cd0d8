import { existsSync, readdirSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { maxStageCharacters } from '../../../config/load.ts';
import { maxRunbooksUrlCharacters } from '../../../config/schema.ts';
import { alarmRows } from '../../../docs/generate/example-template.ts';
import { isGathered } from '../../../infra/monitoring/alarms/alarm-definition.ts';
import { burnRateAlarmName } from '../../../infra/monitoring/alarms/request-alarms.ts';
import { burnRates } from '../../../infra/monitoring/alarms/service-levels.ts';
import {
  fullConfig,
  type Resource,
  resourcesOf,
  stackName,
  type Template,
  templateOf,
  templateOfStage,
} from '../synthesized.ts';

/** The template with all optional alarms. */
const config = fullConfig;
const { monitoring } = config;
let template: Template;
beforeAll(async () => {
  template = await templateOf(config);
});

const alarms = () => resourcesOf(template, 'AWS::CloudWatch::Alarm');
const nameOf = ([, { Properties }]: [string, Resource]): string => Properties.AlarmName.slice(stackName.length + 1);
const alarmNamed = (name: string) => alarms().find((alarm) => nameOf(alarm) === name)?.[1].Properties;

/** Returns the rule of a composite alarm with the names of its alarms, including their pairs. */
const ruleOf = (urgency: 'page' | 'ticket'): string => {
  const [, composite] =
    resourcesOf(template, 'AWS::CloudWatch::CompositeAlarm').find(
      ([, { Properties }]) => Properties.AlarmName === `${stackName}-${urgency}`,
    ) ?? [];
  return composite?.Properties.AlarmRule['Fn::Join'][1]
    .map((part: string | { 'Fn::GetAtt': [string] }) =>
      typeof part === 'string' ? part : nameOf(['', template.Resources[part['Fn::GetAtt'][0]] as Resource]),
    )
    .join('');
};

describe('every alarm', () => {
  test('describes its symptom, a first saved query and an existing runbook', () => {
    const queries = resourcesOf(template, 'AWS::Logs::QueryDefinition').map(([, { Properties }]) => Properties.Name);
    for (const alarm of alarms()) {
      const description: string = alarm[1].Properties.AlarmDescription;
      const [, symptom, query = '', runbook = ''] =
        description.match(/^\*\*Symptom:\*\* (.+)\n\n\*\*First query:\*\* (.+)\n\n\*\*Runbook:\*\* (.+)$/) ?? [];
      const row = `The alarm ${nameOf(alarm)} in infra/monitoring/alarms/`;
      expect(symptom, `${row} needs a symptom: a sentence with a full stop.`).toMatch(/\.$/);
      expect(queries, `${row} names no query of infra/monitoring/log-queries.ts as firstQuery.`).toContain(query);
      expect(runbook, `${row} needs as runbook the name of a page of docs/runbooks/.`).toMatch(
        new RegExp(`^${monitoring.runbooksUrl}/[a-z-]+\\.md$`),
      );
      const file = `docs/runbooks/${runbook.slice(monitoring.runbooksUrl.length + 1)}`;
      expect(existsSync(file), `${row} names ${file} as its runbook. Write that page.`).toBe(true);
      const length = `${row} has a description beyond the 1024 characters of CloudWatch if the name of the stage and runbooksUrl are as long as allowed. Shorten its symptom.`;
      const growth = maxRunbooksUrlCharacters - monitoring.runbooksUrl.length + maxStageCharacters;
      expect(description.length + growth, length).toBeLessThanOrEqual(1024);
    }
  });

  test('that can last longer than an hour is not in a composite alarm', () => {
    const canLast = alarms().filter(([, { Properties }]) => {
      const watched = JSON.stringify(Properties.Metrics ?? Properties.MetricName);
      return (
        /IteratorAge|ApproximateAgeOf|NumberOfMessages|OldestWebhookMessage|DaysTo|LostFeedPages/.test(watched) ||
        Properties.TreatMissingData === 'breaching'
      );
    });
    expect(canLast.length).toBeGreaterThan(15);
    const gathered = canLast.map(nameOf).filter((name) => (ruleOf('page') + ruleOf('ticket')).includes(`"${name}"`));
    const remedy =
      'These alarms can ring for longer than an hour, and in a composite alarm they would mask the others. Set lastsAtMostHours of their rows in infra/monitoring/alarms/ to how long they can last.';
    expect(gathered, remedy).toEqual([]);
  });

  test('notifies once, as its row and so its runbook say: through a composite alarm, or directly if it may last', () => {
    const rows = alarmRows();
    const urgencies = ['page', 'ticket'] as const;
    const topic = (urgency: string) => [
      { Ref: resourcesOf(template, 'AWS::SNS::Topic').find(([id]) => id.toLowerCase().startsWith(urgency))?.[0] },
    ];
    for (const alarm of alarms()) {
      const { AlarmActions, OKActions, InsufficientDataActions, TreatMissingData } = alarm[1].Properties;
      const name = nameOf(alarm);
      const row = rows[name];
      const gathered = urgencies.filter((urgency) => ruleOf(urgency).includes(`"${name}"`));
      const direct = urgencies.filter((urgency) => JSON.stringify(AlarmActions) === JSON.stringify(topic(urgency)));
      const urgency = row?.urgency ?? burnRates.find(({ speed }) => name.includes(speed))?.urgency;
      expect([gathered, direct], name).toEqual(row?.urgency && !isGathered(row) ? [[], [urgency]] : [[urgency], []]);
      expect(OKActions, name).toEqual(AlarmActions);
      const silence = `The alarm ${name} needs notifiesOnMissingData if, and only if, its treatMissingData is MISSING.`;
      expect(InsufficientDataActions, silence).toEqual(TreatMissingData === 'missing' ? topic('ticket') : undefined);
    }
  });

  test('looks back no longer than CloudWatch allows', () => {
    for (const alarm of alarms()) {
      const [, { Properties }] = alarm;
      const remedy = `The periods of the alarm ${nameOf(alarm)} together are longer than CloudWatch allows. Shorten period or periods of its row in infra/monitoring/alarms/.`;
      const periods = [Properties, ...(Properties.Metrics ?? []).map((metric: Metric) => metric.MetricStat ?? {})];
      for (const { Period = 60 } of periods as { Period?: number }[])
        expect(Period * Properties.EvaluationPeriods, remedy).toBeLessThanOrEqual(Period < 3600 ? 86_400 : 604_800);
    }
  });

  test('has a runbook of its own or of its kind, and every runbook has an alarm', () => {
    const linked = alarms().map(([, { Properties }]) => Properties.AlarmDescription.match(/([a-z-]+\.md)$/)[1]);
    const pages = readdirSync('docs/runbooks').filter((file) => file !== 'README.md');
    const without = 'The rows in infra/monitoring/alarms/ name these pages as runbook. Write them in docs/runbooks/.';
    expect([...new Set(linked)].filter((page) => !pages.includes(page)).sort(), without).toEqual([]);
    const idle = 'No row in infra/monitoring/alarms/ names these pages as runbook. Remove them from docs/runbooks/.';
    expect(pages.filter((page) => !linked.includes(page)).sort(), idle).toEqual([]);
  });
});

type Metric = { readonly MetricStat?: { readonly Period: number; readonly Metric: { readonly MetricName: string } } };

test('intended refusals alarm nowhere: no alarm counts 4xx or requests other than our own faults', () => {
  for (const alarm of alarms()) {
    const text = JSON.stringify(alarm[1].Properties.Metrics ?? [alarm[1].Properties]);
    const remedy = `The alarm ${nameOf(alarm)} would ring for requests that are refused by design. Let it count faults of ours only.`;
    expect(text, remedy).not.toContain('4XXError');
    for (const [, value] of text.matchAll(/"Name":"(?:decision|reason|ratePolicy)","Value":"([^"]+)"/g))
      expect(value, remedy).toBe('service-unavailable');
  }
});

test.each(burnRates)(
  'the error budget is monitored over both windows of the burn rate $speed, which alarm together',
  (burnRate) => {
    const { rate, long, short, urgency } = burnRate;
    const burn = (name: string) => {
      const { Threshold, Metrics } = alarmNamed(name) ?? {};
      return [Threshold, Metrics.find((metric: Metric) => metric.MetricStat)?.MetricStat.Period];
    };
    const pair = [long, short].map((window) => burnRateAlarmName(burnRate, window));
    expect(pair.map(burn)).toEqual([
      [rate, long.toSeconds()],
      [rate, short.toSeconds()],
    ]);
    expect(ruleOf(urgency)).toContain(`(ALARM("${pair[0]}") AND ALARM("${pair[1]}"))`);
  },
);

describe('page and ticket', () => {
  test('have a topic each, to which only CloudWatch of this account may publish', () => {
    for (const [id] of resourcesOf(template, 'AWS::SNS::Topic')) {
      const policies = resourcesOf(template, 'AWS::SNS::TopicPolicy').filter(([, { Properties }]) =>
        Properties.Topics.some(({ Ref }: { Ref: string }) => Ref === id),
      );
      expect(policies).toHaveLength(1);
      const statements = policies[0]?.[1].Properties.PolicyDocument.Statement;
      expect(statements.filter(({ Effect }: { Effect: string }) => Effect === 'Allow')).toMatchObject([
        {
          Action: 'sns:Publish',
          Principal: { Service: 'cloudwatch.amazonaws.com' },
          Condition: { StringEquals: { 'aws:SourceAccount': config.account } },
        },
      ]);
      expect(statements).toContainEqual(expect.objectContaining({ Effect: 'Deny', Principal: '*' }));
    }
  });

  test('reach the stage’s endpoints, by e-mail or URL', () => {
    const subscriptions = resourcesOf(template, 'AWS::SNS::Subscription').map(([, { Properties }]) => [
      Properties.Protocol,
      Properties.Endpoint,
    ]);
    expect(subscriptions).toEqual([
      ['https', monitoring.page[0]],
      ['email', monitoring.ticket[0]],
    ]);
  });

  test('notify at the start and the end of an alarm', () => {
    for (const [, { Properties }] of resourcesOf(template, 'AWS::CloudWatch::CompositeAlarm')) {
      expect(Properties.AlarmActions).toHaveLength(1);
      expect(Properties.OKActions).toEqual(Properties.AlarmActions);
    }
  });
});

describe('an alarm for missing data', () => {
  const isSilence = ([, { Properties }]: [string, Resource]) => Properties.TreatMissingData === 'breaching';

  test('is not in a composite alarm: a quiet night would mask every later page', () => {
    const silent = alarms().filter(isSilence).map(nameOf);
    expect(silent).toContain('few-requests');
    expect(silent.filter((name) => (ruleOf('page') + ruleOf('ticket')).includes(`"${name}"`))).toEqual([]);
  });

  test('exists for requests only if the stage defines how many are too few', async () => {
    const quiet = resourcesOf(await templateOfStage('example'), 'AWS::CloudWatch::Alarm').map(nameOf);
    expect(alarms().map(nameOf)).toEqual(expect.arrayContaining(['few-requests', 'canary']));
    expect(quiet.filter((name) => ['few-requests', 'canary'].includes(name))).toEqual([]);
  });
});
