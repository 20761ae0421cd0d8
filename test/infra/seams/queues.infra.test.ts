import { beforeAll, describe, expect, test } from 'vitest';
import { loadStageConfig } from '../../../config/load.ts';
import { type Queue, type QueueName, queues } from '../../../lambdas/api/queues.ts';
import { type Resource, resourceOf, resourcesOf, synthesize, type Template, templateOfStage } from '../synthesized.ts';
import { letsIn, queueId, statementsOf } from './queue-policies.ts';

const { neighbours, ...alone } = loadStageConfig('example');
const [backend] = neighbours?.gatewayBackendPrincipals ?? [];

let template: Template;
beforeAll(async () => {
  template = await templateOfStage('example');
});

const allQueues = () => resourcesOf(template, 'AWS::SQS::Queue').map(([id]) => id);

describe('queues', () => {
  test('are encrypted, keep messages for 14 days and take none without TLS', () => {
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

  test('may be replaced: none has a name of its own', () => {
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
    expect(Properties.RedrivePolicy).toEqual({
      deadLetterTargetArn: { 'Fn::GetAtt': [queueId(template, name, 'DeadLetters'), 'Arn'] },
      maxReceiveCount: row.maxReceiveCount,
    });
    expect(template.Resources[queueId(template, name, 'DeadLetters')]?.Properties.FifoQueue).toBe(isOrdered);
  });

  test('let in their own neighbour alone, and that for its direction', () => {
    const receive = ['ChangeMessageVisibility', 'DeleteMessage', 'GetQueueAttributes', 'GetQueueUrl', 'ReceiveMessage'];
    const send = ['GetQueueAttributes', 'GetQueueUrl', 'SendMessage'];
    const byId = Object.fromEntries(allQueues().map((id) => [id, letsIn(template, id)]));
    const undelivered = resourceOf(template, 'AWS::SQS::Queue', 'SeamsPortalUndelivered')[0];
    expect(Object.fromEntries(Object.entries(byId).filter(([, allowed]) => allowed.length > 0))).toEqual({
      [queueId(template, 'portalEvents')]: [['events.amazonaws.com', send]],
      [queueId(template, 'gatewayReports')]: [[backend, send]],
      [queueId(template, 'requestedChanges')]: [[backend, receive]],
      [undelivered]: [['events.amazonaws.com', ['SendMessage']]],
    });
  });

  test('let EventBridge in for the rule of the portal alone', () => {
    const [ruleId] = resourceOf(template, 'AWS::Events::Rule', 'SeamsPortal');
    const ofEvents = allQueues()
      .flatMap((id) => statementsOf(template, id))
      .filter(({ Principal }) => 'Service' in Principal);
    expect(ofEvents).toHaveLength(2);
    for (const { Condition } of ofEvents)
      expect(Condition).toEqual({ ArnEquals: { 'aws:SourceArn': { 'Fn::GetAtt': [ruleId, 'Arn'] } } });
  });
});

test('a stage that names no neighbours lets nobody outside of the account in: neither to its queues nor to its bus', async () => {
  const island = await synthesize(alone);
  const principals = resourcesOf(island, 'AWS::SQS::Queue').flatMap(([id]) => letsIn(island, id).map(([who]) => who));
  expect(new Set(principals)).toEqual(new Set(['events.amazonaws.com']));
  expect(resourcesOf(island, 'AWS::Events::EventBusPolicy')).toEqual([]);
});
