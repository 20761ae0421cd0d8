import { beforeAll, describe, expect, test } from 'vitest';
import { loadStageConfig } from '../../../config/load.ts';
import { consumers } from '../../../lambdas/api/background-functions.ts';
import { inboundEvents, inboundEventTypes } from '../../../lambdas/api/inbound-events/inbound-events.ts';
import { type Queue, type QueueName, queues } from '../../../lambdas/api/queues.ts';
import {
  bareConfig,
  grantsOf,
  type Resource,
  resourceOf,
  resourcesOf,
  stackName,
  type Template,
  templateOf,
  templateOfStage,
  theResource,
} from '../synthesized.ts';
import { letsIn, queueId, statementsOf } from './queue-policies.ts';

describe('portal bus', () => {
  let template: Template;
  beforeAll(async () => {
    template = await templateOfStage('example');
  });

  describe('the bus of the portal', () => {
    const [portal] = loadStageConfig('example').neighbours?.portalPrincipals ?? [];
    const types = inboundEventTypes.filter((type) => inboundEvents[type].queue === 'portalEvents');

    test('accepts only the portal’s own events from the portal', () => {
      expect(types.length).toBeGreaterThan(3);
      expect(theResource(template, 'AWS::Events::EventBusPolicy')[1].Properties.Statement).toMatchObject({
        Effect: 'Allow',
        Principal: { AWS: portal },
        Action: 'events:PutEvents',
        Condition: { StringEquals: { 'events:source': 'portal', 'events:detail-type': types } },
      });
    });

    test('sends each event to the queue unchanged, and keeps what it cannot deliver for a day', () => {
      const { EventPattern, Targets } = resourceOf(template, 'AWS::Events::Rule', 'IntegrationsPortal')[1].Properties;
      expect(EventPattern).toEqual({ source: ['portal'], 'detail-type': types });
      const [undelivered] = resourceOf(template, 'AWS::SQS::Queue', 'IntegrationsPortalUndelivered');
      expect(Targets).toMatchObject([
        {
          Arn: { 'Fn::GetAtt': [queueId(template, 'portalEvents'), 'Arn'] },
          InputPath: '$.detail',
          DeadLetterConfig: { Arn: { 'Fn::GetAtt': [undelivered, 'Arn'] } },
          RetryPolicy: { MaximumEventAgeInSeconds: 86_400 },
        },
      ]);
    });

    test('archives events for a replay, without a fixed name that would prevent a replacement', () => {
      const { Properties } = resourceOf(template, 'AWS::Events::Archive', 'IntegrationsPortal')[1];
      expect(Properties).toMatchObject({ EventPattern: { source: ['portal'] }, RetentionDays: 90 });
      expect(Properties).not.toHaveProperty('ArchiveName');
    });
  });
});

describe('queues', () => {
  const { neighbours } = loadStageConfig('example');
  const [backend] = neighbours?.gatewayBackendPrincipals ?? [];

  let template: Template;
  beforeAll(async () => {
    template = await templateOfStage('example');
  });

  const allQueues = () => resourcesOf(template, 'AWS::SQS::Queue').map(([id]) => id);

  describe('queues', () => {
    test('are encrypted, keep messages for 14 days and require TLS', () => {
      for (const id of allQueues()) {
        const { Properties } = template.Resources[id] as Resource;
        expect(Properties).toMatchObject({ SqsManagedSseEnabled: true, MessageRetentionPeriod: 14 * 86_400 });
        expect(statementsOf(template, id), id).toContainEqual(
          expect.objectContaining({
            Effect: 'Deny',
            Principal: { AWS: '*' },
            Action: 'sqs:*',
            Condition: { Bool: { 'aws:SecureTransport': 'false' } },
          }),
        );
      }
    });

    test('can be replaced: none has a fixed name', () => {
      for (const id of allQueues()) expect(template.Resources[id]?.Properties).not.toHaveProperty('QueueName');
    });

    test.each(Object.entries<Queue>(queues) as [QueueName, Queue][])('%s is as its row says', (name, row) => {
      const { Properties } = template.Resources[queueId(template, name)] as Resource;
      const isOrdered = row.kind === 'fifo' || undefined;
      expect([Properties.VisibilityTimeout, Properties.MaximumMessageSize, Properties.FifoQueue]).toEqual([
        row.visibilityTimeoutSeconds,
        row.maxMessageBytes,
        isOrdered,
      ]);
      if (row.maxReceiveCount === undefined) return expect(Properties).not.toHaveProperty('RedrivePolicy');
      expect(Properties.RedrivePolicy).toEqual({
        deadLetterTargetArn: { 'Fn::GetAtt': [queueId(template, name, 'DeadLetters'), 'Arn'] },
        maxReceiveCount: row.maxReceiveCount,
      });
      expect(template.Resources[queueId(template, name, 'DeadLetters')]?.Properties.FifoQueue).toBe(isOrdered);
    });

    test('grant access only to their neighbour, for its direction', () => {
      const receive = [
        'ChangeMessageVisibility',
        'DeleteMessage',
        'GetQueueAttributes',
        'GetQueueUrl',
        'ReceiveMessage',
      ];
      const send = ['GetQueueAttributes', 'GetQueueUrl', 'SendMessage'];
      const byId = Object.fromEntries(allQueues().map((id) => [id, letsIn(template, id)]));
      const undelivered = resourceOf(template, 'AWS::SQS::Queue', 'IntegrationsPortalUndelivered')[0];
      expect(Object.fromEntries(Object.entries(byId).filter(([, allowed]) => allowed.length > 0))).toEqual({
        [queueId(template, 'portalEvents')]: [['events.amazonaws.com', send]],
        [queueId(template, 'gatewayReports')]: [[backend, send]],
        [queueId(template, 'requestedChanges')]: [[backend, receive]],
        [undelivered]: [['events.amazonaws.com', ['SendMessage']]],
      });
    });

    test('grant EventBridge access only for the rule of the portal', () => {
      const [ruleId] = resourceOf(template, 'AWS::Events::Rule', 'IntegrationsPortal');
      const ofEvents = allQueues()
        .flatMap((id) => statementsOf(template, id))
        .filter(({ Principal }) => 'Service' in Principal);
      expect(ofEvents).toHaveLength(2);
      for (const { Condition } of ofEvents)
        expect(Condition).toEqual({ ArnEquals: { 'aws:SourceArn': { 'Fn::GetAtt': [ruleId, 'Arn'] } } });
    });
  });

  test('a stage without neighbours grants no outside access to its queues and its bus', async () => {
    const island = await templateOf(bareConfig);
    const principals = resourcesOf(island, 'AWS::SQS::Queue').flatMap(([id]) => letsIn(island, id).map(([who]) => who));
    expect(new Set(principals)).toEqual(new Set(['events.amazonaws.com']));
    expect(resourcesOf(island, 'AWS::Events::EventBusPolicy')).toEqual([]);
  });
});

describe('notices', () => {
  let template: Template;
  let bus: string;
  beforeAll(async () => {
    template = await templateOfStage('example');
    [bus] = resourceOf(template, 'AWS::Events::EventBus', 'Notices');
  });

  test('the bus has the name to which operators attach rules, and no policy for others', () => {
    expect(template.Resources[bus]?.Properties.Name).toBe(`${stackName}-notices`);
    expect(template.Outputs.NoticeBus?.Value).toEqual({ 'Fn::GetAtt': [bus, 'Arn'] });
    const ofBus = resourcesOf(template, 'AWS::Events::EventBusPolicy').filter(
      ([, { Properties }]) => Properties.EventBusName.Ref === bus,
    );
    expect(ofBus).toEqual([]);
  });

  test('notices are archived for a late rule, without a fixed name that would prevent a replacement', () => {
    const [, { Properties }] = resourceOf(template, 'AWS::Events::Archive', 'Notices');
    expect(Properties).toMatchObject({
      SourceArn: { 'Fn::GetAtt': [bus, 'Arn'] },
      EventPattern: { source: ['partner-api'] },
      RetentionDays: 90,
    });
    expect(Properties).not.toHaveProperty('ArchiveName');
  });

  test('only the functions that read keys’ notices and webhooks may put events on the bus', () => {
    const named = resourcesOf(template, 'AWS::IAM::Role').filter(([, { Properties }]) =>
      JSON.stringify(Properties.Policies ?? []).includes(bus),
    );
    expect(named.map(([id]) => id.replace(/Role[0-9A-F]{8}$/, ''))).toEqual([
      'IntegrationsConsumersrecordKeyNotices',
      'IntegrationsConsumersrecordWebhookEvents',
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

  test('the alarm of the watch counts only failures of its function', () => {
    const keyWatch = resourcesOf(template, 'AWS::CloudWatch::Alarm').find(
      ([, { Properties }]) => Properties.AlarmName === `${stackName}-key-watch`,
    )?.[1].Properties;
    const watch = resourceOf(template, 'AWS::Lambda::Function', 'JobswatchKeyExpiry')[0];
    expect(keyWatch).toMatchObject({
      Namespace: 'AWS/Lambda',
      MetricName: 'Errors',
      Statistic: 'Sum',
      Period: 3600,
      Dimensions: [{ Name: 'FunctionName', Value: { Ref: watch } }],
    });
  });
});
