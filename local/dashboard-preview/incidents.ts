import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { DisableKeyCommand, EnableKeyCommand, KMSClient } from '@aws-sdk/client-kms';
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
import { gatewayReport } from '../../simulator/gateway-report.ts';
import { operatorMessagingOf } from '../connections.ts';
import type { LocalService } from '../service.ts';
import { connectSenders, purgeQueues, sendToQueues, waitUntilQueues } from './queues.ts';

/** An event that affects the service for a part of a run, other than a fault of the store. */
export type Incident = {
  /** Begins the incident; the run clock stops until it resolves. */
  readonly begin: (service: PreviewedService) => Promise<void>;
  /** Ends the incident, so that the run shows alarms clear; the run clock stops until it resolves. */
  readonly end: (service: PreviewedService) => Promise<void>;
};

/** The parts of the service that a preview uses. */
export type PreviewedService = Pick<LocalService, 'demo' | 'store' | 'served' | 'pauseBackend'>;

const reports = 1000;

const backlogged = 'IntegrationsQueuesgatewayReportsQueue';

/** Longer than a long poll, since a poll that is running when the consumers are paused still receives messages. */
const longPollMs = 1500;

/**
 * Pauses all consumers while a backlog arrives, which they process when they continue. The run clock stops until the backlog is
 * processed, because this machine's speed says nothing about Lambda's.
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
 * Fills a batch of the relay with connectivity reports. The age of a batch is that of its last record, so a batch with room
 * for newer records would not look late.
 */
const fillBatch = async (store: Store): Promise<void> => {
  const startMs = Date.now();
  for (let index = 0; index < consumers.relayRequestedChanges.batchSize; index++) {
    const atMs = startMs + index;
    await reportFacts(store, 'gw-1001', connectivityFacts('online', atMs), { atMs, receivedAtMs: atMs });
  }
};

/** How many times sooner than on AWS a message is retried, so that a short run has as many retries as a real outage. */
const timesFasterAgain = 300;

const failingEvents = 20;

/** Sends messages that their consumers cannot apply, because the store is down. */
export const failingConsumers: Incident = {
  begin: async ({ served }) => {
    served.hastenMappings(timesFasterAgain);
    await sendBacklog(served, failingEvents);
  },
  end: async ({ served }) => served.hastenMappings(1),
};

/** Sends portal events and many reports as their senders would. The messages change nothing. */
const sendBacklog = async (served: ServedStack, events = 1): Promise<void> => {
  const senders = connectSenders(served);
  // Older than the stored state, so the consumers accept them without effect.
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

/** An id that no company and no gateway has. */
const unknownId = 'never-heard-of';

/**
 * Sends two portal events and a report that the service refuses and a report that it cannot use in part, writes a stream
 * record that the relay cannot read, and puts messages into the dead-letter queues of others.
 */
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

/** A requested change without a requester, which the service itself never writes. */
const unreadable = { gatewayId: unknownId, sk: 'CIRCUIT#heating#hc1', version: 1, desired: { operationMode: 'eco' } };

const forgetUnreadable = async (store: Store): Promise<void> => {
  const { gatewayId, sk } = unreadable;
  await store.send(new DeleteCommand({ TableName: store.tableName('Appliances'), Key: { gatewayId, sk } }));
};

/** Dead letters of the gateway backend and undelivered events of the rule: the local run itself produces neither. */
const deadLettersBefore = ['IntegrationsQueuesrequestedChangesDeadLetters', 'IntegrationsPortalUndelivered'];

/** The logical ids of the queues where the refused messages end. */
const endsIn = [
  ...deadLettersBefore,
  'IntegrationsQueuesportalEventsDeadLetters',
  'IntegrationsQueuesgatewayReportsDeadLetters',
  'IntegrationsConsumersrelayFailures',
];

/** The gateway backend neither receives requested changes nor sends reports. */
export const idleBackend: Incident = {
  begin: async ({ pauseBackend }) => pauseBackend(true),
  end: async ({ pauseBackend }) => pauseBackend(false),
};

/** Sends the withdrawal of a consent that was given again since: it is applied without effect, as late messages are. */
export const vainWithdrawal: Incident = {
  begin: async ({ served }) => {
    const senders = connectSenders(served);
    try {
      await senders.putWithdrawal('acme', { userId: 'owner-4711' }, addMonths(Date.now(), -24));
    } finally {
      senders.close();
    }
  },
  end: async () => undefined,
};

/** The company whose partner keeps reading the feed from its beginning. */
const readerId = 'acme';

let lost: Record<string, unknown> | undefined;

/** Deletes the oldest segment of a feed, and puts it back at the end. */
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
    if (!lost) throw new UserFacingError(`The feed of ${readerId} has no events, but a scenario deletes some of it.`);
    await store.send(new DeleteCommand({ TableName, Key: { companyId: readerId, sk: lost.sk } }));
  },
  end: async ({ store }) => {
    await store.send(new PutCommand({ TableName: store.tableName('Events'), Item: lost }));
  },
};

const newcomerId = 'umbrella';
const hourMs = 3_600_000;

/** Onboards a company whose only valid key expires in two days. Returns a function that issues it a new key. */
export const letLastKeyExpire = async ({ store }: PreviewedService): Promise<() => Promise<void>> => {
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
 * Returns an issue time whose key expires as close to two days from now as possible. Not every time is reachable: no day is
 * six calendar months before the last days of August, for example.
 */
const issuedToExpireSoon = (nowMs: number): number => {
  const hoursLeft = [...Array.from({ length: 48 }, (_, index) => 48 - index), ...[54, 60, 66, 71]];
  const issuedAtMs = (hours: number) => addMonths(nowMs + hours * hourMs, -keyLifetimeMonths);
  const hours = hoursLeft.find((each) => addMonths(issuedAtMs(each), keyLifetimeMonths) === nowMs + each * hourMs);
  if (hours !== undefined) return issuedAtMs(hours);
  throw new UserFacingError('No issue date gives a key that expires within the next three days. Try again tomorrow.');
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

/** Disables the key of webhook secrets. Returns a function that enables it. */
export const disableKey = async ({ served }: PreviewedService): Promise<() => Promise<void>> => {
  const { macEndpoint: endpoint, macKeys, credentials } = operatorMessagingOf(served);
  const KeyId = macKeys.WebhookSecrets;
  if (KeyId === undefined)
    throw new UserFacingError('The template has no key WebhookSecrets, which a scenario disables.');
  const region = served.version().stack.environment.region;
  const send = async (command: DisableKeyCommand | EnableKeyCommand) => {
    const client = new KMSClient({ endpoint, region, credentials });
    await client.send(command).finally(() => client.destroy());
  };
  await send(new DisableKeyCommand({ KeyId }));
  return () => send(new EnableKeyCommand({ KeyId }));
};
