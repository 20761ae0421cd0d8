import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { DeleteCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { type ServedStack, UserFacingError } from 'serve-stack';
import { consumers } from '../../lambdas/api/background-functions.ts';
import { keyLifetimeMonths } from '../../lambdas/api/limits.ts';
import { createApiKey } from '../../lambdas/data/api-keys/api-key-creation.ts';
import { reportFacts } from '../../lambdas/data/appliances/gateways.ts';
import { putCompany } from '../../lambdas/data/contracts/companies.ts';
import { putContract, unopenedContract } from '../../lambdas/data/contracts/contracts.ts';
import { segmentPrefix } from '../../lambdas/data/feed/feed-items.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { consentGivenAt } from '../../lambdas/domain/consent.ts';
import { connectivityFacts } from '../../lambdas/domain/gateway.ts';
import { addMonths } from '../../lambdas/domain/time.ts';
import { gatewayReport } from '../demo/appliances/backend-queues.ts';
import type { LocalService } from '../service.ts';
import { connectSenders, purgeQueues, sendToQueues, waitUntilQueues } from './queues.ts';

/** What happens to the service, besides faults of the store, for a part of a run. */
export type Incident = {
  /** The run stands still until this has happened. */
  readonly begin: (service: PreviewedService) => Promise<void>;
  /** Ends what it has begun: the run shows that alarms clear. */
  readonly end: (service: PreviewedService) => Promise<void>;
};

/** As much of the service as a preview deals with. */
export type PreviewedService = Pick<LocalService, 'demo' | 'store' | 'served' | 'pauseBackend'>;

const reports = 1000;

const backlogged = 'IntegrationsQueuesgatewayReportsQueue';

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

/** What fails comes again so much sooner than on AWS: in a run that is this much shorter, as often as there. */
const timesFasterAgain = 300;

const failingEvents = 20;

/** Messages arrive that their consumers cannot apply, since the store is down. */
export const failingConsumers: Incident = {
  begin: async ({ served }) => {
    served.hastenMappings(timesFasterAgain);
    await sendBacklog(served, failingEvents);
  },
  end: async ({ served }) => served.hastenMappings(1),
};

/** Lets events of the portal and many reports arrive, as their senders would send them. Nothing of them is new. */
const sendBacklog = async (served: ServedStack, events = 1): Promise<void> => {
  const senders = connectSenders(served);
  // Older than all that is known: taken, and without effect.
  const longAgoMs = Date.now() - 86_400_000;
  const data = { connectivity: 'online', lastSeenAt: new Date(longAgoMs).toISOString() } as const;
  try {
    for (let index = 0; index < events; index++)
      await senders.putConsent('acme', { userId: 'owner-4711', consentVersion: 1 }, longAgoMs + index);
    await senders.report(
      Array.from({ length: reports }, (_, index) =>
        gatewayReport('gateway.connectivity.v1', 'gw-1001', data, longAgoMs + index),
      ),
    );
  } finally {
    senders.close();
  }
};

/** Whatever is refused here, nobody knows what it is about. */
const unknownId = 'never-heard-of';

/** Two events and a report that are refused, and a record of the stream that the relay cannot read. */
export const refusedMessages: Incident = {
  begin: async ({ served, store }) => {
    await sendRefused(served);
    await sendToQueues(served, deadLettersBefore);
    await store.send(new PutCommand({ TableName: store.tableName('Appliances'), Item: unreadable }));
    await waitUntilQueues('filled', served, endsIn);
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
    await senders.putWithdrawal(unknownId, { userId: 'owner-4711' }, nowMs);
    await senders.report([
      { ...gatewayReport('gateway.connectivity.v1', unknownId, data, nowMs), source: 'nobody' },
      gatewayReport('function.blocked.v1', unknownId, { function: 'of-a-later-version' }, nowMs),
    ]);
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

/** Dead letters of the gateway backend and undelivered events of the rule. The local run produces neither. */
const deadLettersBefore = ['IntegrationsQueuesrequestedChangesDeadLetters', 'IntegrationsPortalUndelivered'];

/** Where each of them ends, by logical id. */
const endsIn = [
  ...deadLettersBefore,
  'IntegrationsQueuesportalEventsDeadLetters',
  'IntegrationsQueuesgatewayReportsDeadLetters',
  'IntegrationsConsumersrelayFailures',
];

/** The gateway backend neither fetches requested changes nor reports. */
export const idleBackend: Incident = {
  begin: async ({ pauseBackend }) => pauseBackend(true),
  end: async ({ pauseBackend }) => pauseBackend(false),
};

/** Its partner reads the feed from the beginning, again and again. */
const readerId = 'acme';

let lost: Record<string, unknown> | undefined;

/** Somebody deletes the oldest segment of a feed, and puts it back. */
export const holeInFeed: Incident = {
  begin: async ({ store }) => {
    const TableName = store.tableName('Events');
    const { Items = [] } = await store.send(
      new QueryCommand({
        TableName,
        KeyConditionExpression: 'companyId = :companyId AND begins_with(sk, :prefix)',
        ExpressionAttributeValues: { ':companyId': readerId, ':prefix': segmentPrefix },
        Limit: 1,
      }),
    );
    lost = Items[0];
    if (!lost) throw new UserFacingError(`The feed of ${readerId} has no events, of which a scenario loses some.`);
    await store.send(new DeleteCommand({ TableName, Key: { companyId: readerId, sk: lost.sk } }));
  },
  end: async ({ store }) => {
    await store.send(new PutCommand({ TableName: store.tableName('Events'), Item: lost }));
  },
};

const newcomerId = 'umbrella';
const hourMs = 3_600_000;

/** Onboards a company whose only valid key has two days to live; returns what issues it a new one. */
export const letLastKeyExpire = async (store: Store): Promise<() => Promise<void>> => {
  const nowMs = Math.floor(Date.now() / 1000) * 1000;
  await putCompany(store, {
    companyId: newcomerId,
    name: 'Umbrella Holiday Homes',
    state: 'active',
    allowedCidrs: ['127.0.0.1/32'],
    webhookHosts: [],
  });
  await putContract(store, {
    ...unopenedContract({ companyId: newcomerId, userId: 'owner-4714' }),
    state: 'active',
    sinceMs: addMonths(nowMs, -12),
    ...consentGivenAt(1, addMonths(nowMs, -12)),
  });
  await issueKeyOfNewcomer(store, issuedToExpireSoon(nowMs));
  return () => issueKeyOfNewcomer(store, nowMs);
};

/**
 * Finds when a key was issued that expires as near to two days from now as a key can: the last days of August, say, are six
 * calendar months after no day.
 */
const issuedToExpireSoon = (nowMs: number): number => {
  const hoursLeft = [...Array.from({ length: 48 }, (_, index) => 48 - index), ...[54, 60, 66, 71]];
  const issuedAtMs = (hours: number) => addMonths(nowMs + hours * hourMs, -keyLifetimeMonths);
  const hours = hoursLeft.find((each) => addMonths(issuedAtMs(each), keyLifetimeMonths) === nowMs + each * hourMs);
  if (hours !== undefined) return issuedAtMs(hours);
  throw new UserFacingError('No key expires within the next three days, whenever it was issued. Try again tomorrow.');
};

const issueKeyOfNewcomer = async (store: Store, nowMs: number): Promise<void> => {
  const auditContext = {
    companyId: newcomerId,
    nowMs,
    requestId: randomUUID(),
    operation: 'playScenario',
    actorKey: null,
  };
  const { outcome } = await createApiKey(store, auditContext);
  if (outcome !== 'created') throw new UserFacingError(`No key could be issued for ${newcomerId} (${outcome}).`);
};
