import { beforeAll, expect, test } from 'vitest';
import { consumers } from '../../lambdas/api/background-functions.ts';
import { grantsOf } from './functions-and-roles.ts';
import { resourceOf, resourcesOf, stackName, type Template, templateOfStage } from './synthesized.ts';

let template: Template;
let bus: string;
beforeAll(async () => {
  template = await templateOfStage('example');
  [bus] = resourceOf(template, 'AWS::Events::EventBus', 'Notices');
});

test('the bus has the name that operators attach rules by, and no policy that lets others in', () => {
  expect(template.Resources[bus]?.Properties.Name).toBe(`${stackName}-notices`);
  expect(template.Outputs.NoticeBus?.Value).toEqual({ 'Fn::GetAtt': [bus, 'Arn'] });
  const ofBus = resourcesOf(template, 'AWS::Events::EventBusPolicy').filter(
    ([, { Properties }]) => Properties.EventBusName.Ref === bus,
  );
  expect(ofBus).toEqual([]);
});

test('notices are kept for a rule that comes late, and under no name that would forbid to replace what keeps them', () => {
  const [, { Properties }] = resourceOf(template, 'AWS::Events::Archive', 'Notices');
  expect(Properties).toMatchObject({
    SourceArn: { 'Fn::GetAtt': [bus, 'Arn'] },
    EventPattern: { source: ['partner-api'] },
    RetentionDays: 90,
  });
  expect(Properties).not.toHaveProperty('ArchiveName');
});

test('the functions that read keys’ notices and webhooks may put on the bus, and nobody else', () => {
  const named = resourcesOf(template, 'AWS::IAM::Role').filter(([, { Properties }]) =>
    JSON.stringify(Properties.Policies ?? []).includes(bus),
  );
  expect(named.map(([id]) => id.replace(/Role[0-9A-F]{8}$/, ''))).toEqual([
    'SeamsConsumersrecordKeyNotices',
    'SeamsConsumersrecordWebhookEvents',
  ]);
  for (const [, { Properties }] of named)
    expect([...grantsOf(template, Properties)].filter((grant) => grant.includes(bus))).toEqual([
      `events:PutEvents on ${bus}`,
    ]);
  expect([consumers.recordKeyNotices.source.stream, consumers.recordWebhookEvents.source.stream]).toEqual([
    'KeyNotices',
    'Webhooks',
  ]);
});

test('no pipe reads a stream: only the reads of functions are free', () => {
  expect(resourcesOf(template, 'AWS::Pipes::Pipe')).toEqual([]);
});

test('the alarm of the watch counts what fails in its function alone', () => {
  const keyWatch = resourcesOf(template, 'AWS::CloudWatch::Alarm').find(
    ([, { Properties }]) => Properties.AlarmName === `${stackName}-key-watch`,
  )?.[1].Properties;
  const watch = resourceOf(template, 'AWS::Lambda::Function', 'JobswatchKeyExpiry')[0];
  expect(keyWatch).toMatchObject({
    ...{ Namespace: 'AWS/Lambda', MetricName: 'Errors', Statistic: 'Sum', Period: 3600 },
    Dimensions: [{ Name: 'FunctionName', Value: { Ref: watch } }],
  });
});
