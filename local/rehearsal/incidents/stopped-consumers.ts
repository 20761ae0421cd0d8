import { setTimeout as wait } from 'node:timers/promises';
import type { ServedStack } from 'serve-stack';
import { consumers } from '../../../lambdas/api/background-functions.ts';
import { reportFacts } from '../../../lambdas/data/appliances/gateway-facts.ts';
import type { Store } from '../../../lambdas/data/store/store.ts';
import { connectivityFacts } from '../../../lambdas/domain/appliances/gateway-facts.ts';
import { gatewayReport } from '../../demo/appliances/gateway-report.ts';
import type { Incident } from './incident.ts';
import { connectSenders } from './neighbour-senders.ts';
import { waitUntilQueues } from './rehearsed-queues.ts';

const reports = 1000;

const backlogged = 'SeamsQueuesgatewayReportsQueue';

/** Longer than a look at a queue takes that was under way when consumers were stopped: it would still take messages. */
const longPollMs = 1500;

/**
 * No consumer gets anything, and a backlog arrives that they find when they go on. The run stands still until they have
 * worked it off: how long that takes on this machine says nothing of Lambda.
 */
export const stoppedConsumers: Incident = {
  begin: async ({ served, store }) => {
    served.pauseMappings(true);
    await wait(longPollMs);
    await sendBacklog(served);
    await fillBatch(store);
  },
  end: async ({ served }) => {
    served.pauseMappings(false);
    await waitUntilQueues('empty', served, [backlogged]);
  },
};

/**
 * Writes as many signs of life as a batch of the relay holds. The age of a batch is that of its last record: one that took in
 * what was written a moment ago would not look late.
 */
const fillBatch = async (store: Store): Promise<void> => {
  const startMs = Date.now();
  for (let index = 0; index < consumers.relayRequestedChanges.batchSize; index++) {
    const atMs = startMs + index;
    await reportFacts(store, 'gw-1001', connectivityFacts('online', atMs), { atMs, receivedAtMs: atMs });
  }
};

/** Lets an event of the portal and many reports arrive, as their senders would send them. Nothing of them is new. */
const sendBacklog = async (served: ServedStack): Promise<void> => {
  const senders = connectSenders(served);
  // Older than all that is known: taken, and without effect.
  const longAgoMs = Date.now() - 86_400_000;
  const data = { connectivity: 'online', lastSeenAt: new Date(longAgoMs).toISOString() } as const;
  try {
    await senders.putConsent('acme', { userId: 'owner-4711', consentVersion: 1 }, longAgoMs);
    await senders.report(
      Array.from({ length: reports }, (_, index) =>
        gatewayReport('gateway.connectivity.v1', 'gw-1001', data, longAgoMs + index),
      ),
    );
  } finally {
    senders.close();
  }
};
