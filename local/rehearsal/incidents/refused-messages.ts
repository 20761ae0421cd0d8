import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import type { ServedStack } from 'serve-stack';
import type { Store } from '../../../lambdas/data/store/store.ts';
import { gatewayReport } from '../../demo/appliances/gateway-report.ts';
import type { Incident } from './incident.ts';
import { connectSenders } from './neighbour-senders.ts';
import { purgeQueues, sendToQueues, waitUntilQueues } from './rehearsed-queues.ts';

/** The 23 hours after which a record is given up are four seconds, and a message that was refused comes again at once. */
const timesFaster = 20_000;

/** Whatever is refused here, nobody knows what it is about. */
const unknownId = 'never-heard-of';

/** An event and a report that are refused each time, and a record of the stream that the relay cannot read. */
export const refusedMessages: Incident = {
  begin: async ({ served, store }) => {
    served.hastenMappings(timesFaster);
    await sendRefused(served);
    await sendToQueues(served, givenUpBefore);
    await store.send(new PutCommand({ TableName: store.tableName('Appliances'), Item: unreadable }));
    await waitUntilQueues('filled', served, endsIn);
    served.hastenMappings(1);
  },
  end: async ({ served, store }) => {
    await forgetUnreadable(store);
    await purgeQueues(served, endsIn);
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

/** As if the gateway backend, and the function that sends pokes, had received something too often: they refuse nothing here. */
const givenUpBefore = ['SeamsQueuesrequestedChangesDeadLetters', 'SeamsQueuespokesDeadLetters'];

/** Where each of them ends, by logical id. */
const endsIn = [
  ...givenUpBefore,
  'SeamsQueuesportalEventsDeadLetters',
  'SeamsQueuesgatewayReportsDeadLetters',
  'SeamsConsumersrelayFailures',
];
