import { setTimeout as wait } from 'node:timers/promises';
import { GetQueueAttributesCommand, PurgeQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { Store } from '../../../lambdas/data/store/store.ts';
import { UserFacingError } from '../../aws/errors/user-facing-error.ts';
import type { ServedStack } from '../../aws/served-stack.ts';
import { gatewayReport } from '../../demo/appliances/gateway-report.ts';
import { operatorMessagingOf } from '../../operator-messaging.ts';
import type { Incident } from './incident.ts';
import { connectSenders } from './neighbour-senders.ts';

/** The 23 hours after which a record is given up are four seconds, and a message that was refused comes again at once. */
const timesFaster = 20_000;

/** Whatever is refused here, nobody knows what it is about. */
const unknownId = 'never-heard-of';

/** An event and a report that are refused each time, and a record of the stream that the relay cannot read. */
export const refusedMessages: Incident = {
  begin: async ({ served, store }) => {
    served.hastenMappings(timesFaster);
    await sendRefused(served);
    await store.send(new PutCommand({ TableName: store.tableName('Appliances'), Item: unreadable }));
    await waitForDeadLetters(served);
    served.hastenMappings(1);
  },
  end: async ({ served, store }) => {
    await forgetUnreadable(store);
    await purgeDeadLetters(served);
  },
};

const sendRefused = async (served: ServedStack): Promise<void> => {
  const senders = connectSenders(served);
  const nowMs = Date.now();
  const data = { connectivity: 'online', lastSeenAt: new Date(nowMs).toISOString() } as const;
  try {
    await senders.putConsent(unknownId, { userId: 'owner-4711', consentVersion: 1 }, nowMs);
    await senders.report([gatewayReport('gateway.connectivity.v1', unknownId, data, nowMs)]);
  } finally {
    senders.close();
  }
};

/** A requested change of nobody: the service itself never writes one. */
const unreadable = { gatewayId: unknownId, sk: 'CIRCUIT#heating#hc1', version: 1, desired: { operationMode: 'eco' } };

const forgetUnreadable = async (store: Store): Promise<void> => {
  const { gatewayId, sk } = unreadable;
  await store.send(new DeleteCommand({ TableName: store.tableName('Appliances'), Key: { gatewayId, sk } }));
};

/** Where each of them ends, by logical id. */
const endsIn = [
  'SeamsQueuesportalEventsDeadLetters',
  'SeamsQueuesgatewayReportsDeadLetters',
  'SeamsConsumersrelayRequestedChangesSourceFailures',
];

const lookEveryMs = 250;
const longestWaitMs = 120_000;

const waitForDeadLetters = (served: ServedStack): Promise<void> =>
  withDeadLetterQueues(served, async (client, queueUrls) => {
    const untilMs = Date.now() + longestWaitMs;
    for (const [name, QueueUrl] of queueUrls)
      while (await isEmpty(client, QueueUrl)) {
        if (Date.now() > untilMs) throw new UserFacingError(`Nothing came to ${name}, though it was refused.`);
        await wait(lookEveryMs);
      }
  });

const isEmpty = async (client: SQSClient, QueueUrl: string): Promise<boolean> => {
  const AttributeNames = ['ApproximateNumberOfMessages'] as const;
  const { Attributes } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...AttributeNames] }),
  );
  return Attributes?.ApproximateNumberOfMessages === '0';
};

const purgeDeadLetters = (served: ServedStack): Promise<void> =>
  withDeadLetterQueues(served, async (client, queueUrls) => {
    for (const [, QueueUrl] of queueUrls) await client.send(new PurgeQueueCommand({ QueueUrl }));
  });

const withDeadLetterQueues = async (
  served: ServedStack,
  act: (client: SQSClient, queueUrls: readonly (readonly [name: string, url: string])[]) => Promise<void>,
): Promise<void> => {
  const { queueEndpoint: endpoint, queueUrls, credentials } = operatorMessagingOf(served);
  const client = new SQSClient({ endpoint, region: served.version().stack.environment.region, credentials });
  try {
    await act(
      client,
      endsIn.map((name) => [name, queueUrls[name] ?? ''] as const),
    );
  } finally {
    client.destroy();
  }
};
