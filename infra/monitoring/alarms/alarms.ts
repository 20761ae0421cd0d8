import { Stack } from 'aws-cdk-lib';
import {
  Alarm,
  type AlarmBase,
  AlarmRule,
  AlarmState,
  CompositeAlarm,
  type IAlarmRule,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription, UrlSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { StageConfig } from '../../../config/schema.ts';
import { queryNameOf } from '../log-queries.ts';
import { stageNameOf } from '../metrics.ts';
import {
  type AlarmDefinition,
  type AlarmDefinitions,
  type AlarmSources,
  defaultComparison,
  isGathered,
  type Urgency,
} from './alarm-definition.ts';
import { keyAlarms, macKeyAlarms, purgeAlarms, tableAlarms, usageAlarms } from './data-alarms.ts';
import { integrationAlarms, webhookAlarms } from './integration-alarms.ts';
import {
  availabilityAlarms,
  burnRateAlarmName,
  canaryAlarmName,
  outsideAlarms,
  requestAlarms,
} from './request-alarms.ts';
import { burnRates } from './service-levels.ts';

export type AlarmsProps = {
  readonly topics: Topics;
  readonly config: Pick<StageConfig, 'monitoring'>;
  /** The alarms of these definitions that exist already, by name. */
  readonly made: Readonly<Record<string, Alarm>>;
};

/** The alarms, and the two composite alarms that notify people of them. */
export class Alarms extends Construct {
  readonly metric: Readonly<Record<string, Alarm>>;
  readonly composite: Readonly<Record<Urgency, CompositeAlarm>>;
  readonly definitions: AlarmDefinitions;

  constructor(scope: Construct, id: string, definitions: AlarmDefinitions, { topics, config, made }: AlarmsProps) {
    super(scope, id);
    this.definitions = definitions;
    const rows = Object.entries(definitions);
    this.metric = Object.fromEntries(
      rows.map(([name, definition]) => [name, made[name] ?? createAlarm(this, name, definition, config)]),
    );
    for (const [name, definition] of rows) {
      if (definition.notifiesOnMissingData) this.#named(name).addInsufficientDataAction(new SnsAction(topics.ticket));
      if (definition.urgency && !isGathered(definition)) notifyTopic(this.#named(name), topics[definition.urgency]);
    }
    this.composite = { page: this.#gather('page', topics), ticket: this.#gather('ticket', topics) };
  }

  #gather(urgency: Urgency, topics: Topics): CompositeAlarm {
    const stageName = stageNameOf(this);
    const names = Object.entries(this.definitions)
      .filter(([, definition]) => definition.urgency === urgency && isGathered(definition))
      .map(([name]) => name);
    const alarm = new CompositeAlarm(this, urgency, {
      compositeAlarmName: `${stageName}-${urgency}`,
      alarmDescription: `${meanings[urgency]} The dashboard ${stageName}-on-call shows which of its alarms is in ALARM.`,
      alarmRule: AlarmRule.anyOf(...this.#burnRules(urgency), ...names.map((name) => this.#ringing(name))),
    });
    notifyTopic(alarm, topics[urgency]);
    return alarm;
  }

  /** A burn rate counts only if it holds over both of its windows. */
  #burnRules(urgency: Urgency): IAlarmRule[] {
    return burnRates
      .filter((burnRate) => burnRate.urgency === urgency)
      .map((burnRate) =>
        AlarmRule.allOf(
          ...[burnRate.long, burnRate.short].map((window) => this.#ringing(burnRateAlarmName(burnRate, window))),
        ),
      );
  }

  #ringing(name: string): IAlarmRule {
    return AlarmRule.fromAlarm(this.#named(name), AlarmState.ALARM);
  }

  #named(name: string): Alarm {
    return this.metric[name] as Alarm;
  }
}

/** Creates the alarm of a definition, without actions. */
const createAlarm = (
  scope: Construct,
  name: string,
  definition: AlarmDefinition,
  config: AlarmsProps['config'],
): Alarm => {
  const { metric, threshold, periods = 1, comparisonOperator = defaultComparison, treatMissingData } = definition;
  const stageName = stageNameOf(scope);
  return new Alarm(scope, name, {
    alarmName: `${stageName}-${name}`,
    alarmDescription: descriptionOf(stageName, definition, config.monitoring.runbooksUrl),
    metric,
    threshold,
    comparisonOperator,
    evaluationPeriods: periods,
    treatMissingData: treatMissingData ?? TreatMissingData.NOT_BREACHING,
  });
};

/**
 * Creates the alarm that rolls a new version back. It is in the stack of the deployments: they depend on the alarm, and the
 * other monitoring depends on what they deploy.
 */
export const createCanaryAlarm = (
  scope: Construct,
  { stage, config }: Pick<AlarmSources, 'stage'> & Pick<AlarmsProps, 'config'>,
): Alarm => {
  const definition = availabilityAlarms({ stage })[canaryAlarmName] as AlarmDefinition;
  return createAlarm(new Construct(scope, 'Alarms'), canaryAlarmName, definition, config);
};

/** Notifies a topic when an alarm goes into ALARM and when it returns to OK. */
const notifyTopic = (alarm: AlarmBase, topic: ITopic): void => {
  alarm.addAlarmAction(new SnsAction(topic));
  alarm.addOkAction(new SnsAction(topic));
};

const meanings: Readonly<Record<Urgency, string>> = {
  page: 'Partners are affected, or will be within hours: act now.',
  ticket: 'A problem needs attention within days: act in working hours.',
};

/** Returns Markdown, which the console renders. */
const descriptionOf = (stageName: string, { symptom, firstQuery, runbook }: AlarmDefinition, runbooksUrl: string) =>
  [
    `**Symptom:** ${symptom}`,
    `**First query:** ${queryNameOf(stageName, firstQuery)}`,
    `**Runbook:** ${runbooksUrl}/${runbook}.md`,
  ].join('\n\n');

type Topics = Readonly<Record<Urgency, Topic>>;

/**
 * Creates the two topics for alarms. They are not encrypted with a customer managed key, since CloudWatch could then publish
 * only if it may use the key. The text of an alarm contains no secret.
 */
export const createTopics = (scope: Construct, { page, ticket }: StageConfig['monitoring']): Topics => ({
  page: createTopic(scope, 'Page', page),
  ticket: createTopic(scope, 'Ticket', ticket),
});

const createTopic = (scope: Construct, name: string, endpoints: readonly string[]): Topic => {
  const { account } = Stack.of(scope);
  const topic = new Topic(scope, `${name}Topic`, {
    displayName: `${stageNameOf(scope)} ${name.toLowerCase()}`,
    enforceSSL: true,
  });
  // A custom policy replaces the default policy of SNS, which allows the account's services to publish.
  topic.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: { StringEquals: { 'aws:SourceAccount': account } },
    }),
  );
  for (const endpoint of endpoints)
    topic.addSubscription(
      endpoint.startsWith('https://') ? new UrlSubscription(endpoint) : new EmailSubscription(endpoint),
    );
  return topic;
};

/** Returns all alarms. Intended refusals (401, 403, 429, 451) do not count in any alarm. */
export const alarmDefinitions = (sources: AlarmSources): AlarmDefinitions => ({
  ...availabilityAlarms(sources),
  ...requestAlarms(sources),
  ...outsideAlarms(sources),
  ...tableAlarms(sources),
  ...keyAlarms(sources),
  ...macKeyAlarms(sources),
  ...purgeAlarms(sources),
  ...usageAlarms(sources),
  ...integrationAlarms(sources),
  ...webhookAlarms(sources),
});
