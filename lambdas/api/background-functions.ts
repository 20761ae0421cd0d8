import type { Requirements } from './endpoints/endpoint.ts';
import type { MacKeyName } from './environment.ts';
import type { BusName, QueueActions, ReceivedQueueName } from './queues.ts';
import type { TableName } from './tables.ts';

/** A function that a queue or the stream of a table calls with a batch, and what it needs. */
export type Consumer = Pick<Requirements, 'tableActions' | 'settings'> & {
  readonly summary: string;
  readonly source:
    | { readonly queue: ReceivedQueueName }
    | {
        readonly stream: TableName;
        /** The queue that keeps word of the records that could not be handled. */
        readonly failureQueue: FailureQueueName;
        /** So many batches of a shard at once, those of one partition in their order: what waits holds up a part. One without. */
        readonly batchesPerShard?: number;
        /**
         * It is given only records of items that have this text after the change. Lambda deletes all others, so they must
         * never mean anything to it.
         */
        readonly onlyIf?: { readonly attribute: string; readonly text: string };
      };
  /** So many messages a call at most. */
  readonly batchSize: number;
  /** So many calls at once at most; other messages wait in the queue. */
  readonly maxConcurrency?: number;
  readonly timeoutSeconds: number;
  /**
   * It sends to the queue that calls it, and each chain of such calls has an end of its own. Lambda would else take a chain for
   * a fault after about 16 calls and make a dead letter of its message:
   * https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html
   */
  readonly callsItself?: true;
  /** What it may do to queues beyond receiving from its source. */
  readonly queueActions?: QueueActions;
  readonly macKeys?: readonly MacKeyName[];
  /** Lists the event buses that it puts events on. */
  readonly buses?: readonly BusName[];
};

/** Failure destinations of streams: what a function could not process. A queue for each purpose. */
export const failureQueueNames = ['relayFailures', 'feedFailures'] as const;
export type FailureQueueName = (typeof failureQueueNames)[number];

/** What it takes to append to feeds, and to owe pokes to the webhooks of their companies. */
const ofRecorder = {
  batchSize: 100,
  timeoutSeconds: 30,
  queueActions: { pokes: ['SendMessage'] },
} as const;

const feedActions = {
  Events: ['GetItem', 'BatchGetItem', 'PutItem'],
  Webhooks: ['Query', 'UpdateItem'],
} as const;

/**
 * One row per consumer, named as its handler's file, `lambdas/consumers/<name>.ts`; all else is derived from its row. Each
 * answers with the messages that failed, and only
 * those are received again.
 */
export const consumers = {
  takePortalEvents: {
    summary: 'Apply what owners decide in the portal',
    source: { queue: 'portalEvents' },
    batchSize: 10,
    maxConcurrency: 5,
    timeoutSeconds: 5,
    tableActions: {
      Companies: ['ConditionCheckItem'],
      Contracts: ['GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem', 'ConditionCheckItem'],
      Appliances: ['BatchGetItem', 'PutItem'],
      AuditLog: ['PutItem'],
    },
    settings: ['metricNamespace', 'requiredConsentVersion', 'newestConsentVersion'],
    queueActions: { portalEvents: ['ChangeMessageVisibility'] },
  },
  takeGatewayReports: {
    summary: 'Apply what gateways and appliances report',
    source: { queue: 'gatewayReports' },
    // More than ten need a window of a second, for which each partner would wait who has requested a change.
    batchSize: 10,
    // Leaves the account's concurrency to the endpoints when a backlog is worked off.
    maxConcurrency: 50,
    timeoutSeconds: 5,
    // A gateway's event never touches Contracts: the backend grants nothing.
    tableActions: {
      Appliances: ['GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
    },
    settings: ['metricNamespace'],
    queueActions: { gatewayReports: ['ChangeMessageVisibility', 'SendMessage'] },
    // A message waits for its gateway a few times, and is refused then.
    callsItself: true,
  },
  relayRequestedChanges: {
    summary: 'Tell the gateway backend of the changes that partners request',
    // Not so for the recorders: batches of a company at once would meet at the end of its feed.
    source: { stream: 'Appliances', failureQueue: 'relayFailures', batchesPerShard: 10 },
    batchSize: 100,
    timeoutSeconds: 30,
    tableActions: { Appliances: ['Query'] },
    settings: ['metricNamespace'],
    queueActions: { requestedChanges: ['SendMessage'] },
  },
  recordApplianceEvents: {
    ...ofRecorder,
    summary: 'Write to the feeds of companies what changes at their gateways',
    source: { stream: 'Appliances', failureQueue: 'feedFailures' },
    tableActions: { Appliances: ['Query'], Contracts: ['BatchGetItem'], ...feedActions },
    settings: ['metricNamespace', 'requiredConsentVersion'],
  },
  recordContractEvents: {
    ...ofRecorder,
    summary: 'Write to the feeds of companies what changes of contract, consent and gateways',
    source: { stream: 'Contracts', failureQueue: 'feedFailures' },
    tableActions: feedActions,
    settings: ['metricNamespace', 'requiredConsentVersion', 'consentPortalUrl'],
  },
  recordKeyNotices: {
    ...ofRecorder,
    summary: 'Write to the feeds of companies which of their keys expire soon, and tell operators',
    source: { stream: 'KeyNotices', failureQueue: 'feedFailures' },
    tableActions: feedActions,
    settings: ['metricNamespace'],
    buses: ['notices'],
  },
  recordWebhookEvents: {
    ...ofRecorder,
    summary: 'Write to the feeds of companies which of their webhooks were switched off, and tell operators',
    // Each poke changes an item three times, which means nothing here.
    source: { stream: 'Webhooks', failureQueue: 'feedFailures', onlyIf: { attribute: 'state', text: 'disabled' } },
    tableActions: feedActions,
    settings: ['metricNamespace'],
    buses: ['notices'],
  },
  sendPoke: {
    summary: 'Tell a webhook that there is something to read',
    source: { queue: 'pokes' },
    // A call waits, it does not compute: its pokes are sent side by side, and a receiver that hangs holds up none of them.
    batchSize: 10,
    maxConcurrency: 50,
    timeoutSeconds: 20,
    tableActions: {
      Webhooks: ['UpdateItem'],
      Companies: ['GetItem'],
      Contracts: ['BatchGetItem'],
      'Contracts/index/byCompany': ['Query'],
    },
    settings: ['metricNamespace'],
    queueActions: { pokes: ['SendMessage'] },
    // As long as the poke is owed, a second after the last one at the earliest.
    callsItself: true,
    macKeys: ['webhookSecrets'],
  },
} as const satisfies Record<string, Consumer>;

export type ConsumerName = keyof typeof consumers;

/** Those that the stream of a table calls. */
export type StreamConsumerName = {
  [Name in ConsumerName]: (typeof consumers)[Name]['source'] extends { readonly stream: TableName } ? Name : never;
}[ConsumerName];

export const consumerNames = /* @__PURE__ */ Object.keys(consumers) as ConsumerName[];

/** A function that no request calls but a schedule does, and what it needs. */
export type Job = Pick<Requirements, 'tableActions' | 'settings'> & {
  readonly summary: string;
  /** An expression of EventBridge, in UTC. */
  readonly schedule: `cron(${string})` | `rate(${string})`;
  /** Names the entry of the stage's configuration that has it run more or less often than that: every so many minutes. */
  readonly everyMinutes?: 'usageEveryMinutes';
  /** It asks the log that the functions of endpoints write to. */
  readonly queriesRequestLog?: true;
  /** The job reads the state of these KMS keys, and may not use the keys. */
  readonly watchedMacKeys?: readonly MacKeyName[];
  readonly queueActions?: QueueActions;
};

/** Every so many minutes requests are counted where the configuration says nothing else. */
export const usualUsageMinutes = 15;

/** One row per job, named as its handler's file, `lambdas/jobs/<name>.ts`; all else is derived from its row. */
export const jobs = {
  watchKeyExpiry: {
    summary: 'Announce the keys that expire soon, and measure how soon',
    // The watch runs in the morning, so that its alarms ring by day.
    schedule: 'cron(0 8 * * ? *)',
    tableActions: {
      'ApiKeys/index/byExpiryMonth': ['Query'],
      ApiKeys: ['ConditionCheckItem'],
      Companies: ['GetItem'],
      Contracts: ['BatchGetItem'],
      'Contracts/index/byCompany': ['Query'],
      KeyNotices: ['PutItem'],
    },
    settings: ['metricNamespace'],
  },
  sweepPokes: {
    summary: 'Queue the webhook messages that are due',
    schedule: 'rate(1 minute)',
    tableActions: { 'Webhooks/index/byDue': ['Query'] },
    settings: ['metricNamespace'],
    queueActions: { pokes: ['GetQueueAttributes', 'SendMessage'] },
  },
  watchMacKeys: {
    summary: 'Count the keys of KMS that were disabled or are to be deleted',
    schedule: 'rate(60 minutes)',
    tableActions: {},
    settings: ['metricNamespace'],
    watchedMacKeys: ['webhookSecrets', 'ownerPseudonyms'],
  },
  purgeFeeds: {
    summary: 'Remove from the rows of feeds what owners have taken back',
    // Every six hours: within a day also if two runs fail.
    schedule: 'rate(360 minutes)',
    tableActions: { Events: ['Query', 'UpdateItem', 'DeleteItem'], Contracts: ['BatchGetItem'] },
    settings: ['metricNamespace'],
  },
  recordUsage: {
    summary: 'Count in the log what became of the requests of each company',
    // Each run is paid by what it reads of the log.
    schedule: `rate(${usualUsageMinutes} minutes)`,
    everyMinutes: 'usageEveryMinutes',
    tableActions: { Usage: ['GetItem', 'PutItem'] },
    settings: ['metricNamespace', 'logRetentionDays'],
    queriesRequestLog: true,
  },
} as const satisfies Record<string, Job>;

export type JobName = keyof typeof jobs;

export const jobNames = /* @__PURE__ */ Object.keys(jobs) as JobName[];
