import type { Requirements } from './endpoints/endpoint.ts';
import type { MacKeyName } from './environment.ts';
import type { BusName, QueueActions, ReceivedQueueName } from './queues.ts';
import type { TableName } from './tables.ts';

/** A consumer: a function that a queue or a table's stream invokes with batches, and what it needs. */
export type Consumer = Pick<Requirements, 'tableActions' | 'settings'> & {
  readonly summary: string;
  readonly source:
    | { readonly queue: ReceivedQueueName }
    | {
        readonly stream: TableName;
        /** The queue that receives a message about each record that could not be processed. */
        readonly failureQueue: FailureQueueName;
        /**
         * Concurrent batches per shard; items of one partition key stay in order. A batch that waits then delays only a
         * part of the shard. Default: 1.
         */
        readonly batchesPerShard?: number;
        /**
         * Event filter: the function receives only records of items whose attribute has this text after the change. Lambda
         * discards all other records, so the function must never need them.
         */
        readonly onlyIf?: { readonly attribute: string; readonly text: string };
      };
  /** Maximum number of messages or records per call. */
  readonly batchSize: number;
  /** Maximum number of concurrent calls; other messages wait in the queue. */
  readonly maxConcurrency?: number;
  readonly timeoutSeconds: number;
  /**
   * The function sends messages to the queue that invokes it, and ends each such chain of calls itself. Otherwise Lambda's
   * loop detection would stop a chain after about 16 calls and make its message a dead letter:
   * https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html
   */
  readonly callsItself?: true;
  /** Actions on queues, except for receiving from its source. */
  readonly queueActions?: QueueActions;
  readonly macKeys?: readonly MacKeyName[];
  /** The event buses that it puts events on. */
  readonly buses?: readonly BusName[];
};

/** Failure destinations of the streams, one queue per purpose: they receive what a function could not process. */
export const failureQueueNames = ['relayFailures', 'feedFailures'] as const;
export type FailureQueueName = (typeof failureQueueNames)[number];

/** Shared by the functions that append to feeds and make the companies' webhooks owe a webhook message. */
const ofRecorder = {
  batchSize: 100,
  timeoutSeconds: 30,
  queueActions: { webhookMessages: ['SendMessage'] },
} as const;

const feedActions = {
  Events: ['GetItem', 'BatchGetItem', 'PutItem'],
  Webhooks: ['Query', 'UpdateItem'],
} as const;

/**
 * One row per consumer, named after its handler's file, `lambdas/consumers/<name>.ts`; everything else is derived from the
 * row. Each handler returns its failed messages or records: a queue delivers only these again, a stream all records from
 * the first one on.
 */
export const consumers = {
  takePortalEvents: {
    summary: 'Apply the decisions of owners in the portal',
    source: { queue: 'portalEvents' },
    batchSize: 10,
    maxConcurrency: 5,
    timeoutSeconds: 5,
    tableActions: {
      Companies: ['BatchGetItem'],
      Contracts: ['GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem', 'ConditionCheckItem'],
      // `Query` and `UpdateItem`: what ends access drops the open changes that rested on it.
      Appliances: ['BatchGetItem', 'PutItem', 'Query', 'UpdateItem'],
      AuditLog: ['PutItem'],
    },
    settings: ['metricNamespace', 'requiredConsentVersion', 'newestConsentVersion'],
    queueActions: { portalEvents: ['ChangeMessageVisibility'] },
  },
  takeGatewayReports: {
    summary: 'Apply the reports of gateways and appliances',
    source: { queue: 'gatewayReports' },
    // More than ten require a batching window of one second, which would delay the confirmation of every requested change.
    batchSize: 10,
    // Leaves concurrency of the account for the endpoints while a backlog is processed.
    maxConcurrency: 50,
    timeoutSeconds: 5,
    // A gateway's event never reads or writes Contracts: the gateway backend grants no access.
    tableActions: {
      Appliances: ['GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'],
    },
    settings: ['metricNamespace'],
    queueActions: { gatewayReports: ['ChangeMessageVisibility', 'SendMessage'] },
    // A message for an unknown gateway is sent again with a delay a few times, then refused.
    callsItself: true,
  },
  relayRequestedChanges: {
    summary: 'Send the changes that partners request to the gateway backend',
    // The recorders process one batch per shard: concurrent batches of a company would conflict at the end of its feed.
    source: { stream: 'Appliances', failureQueue: 'relayFailures', batchesPerShard: 10 },
    batchSize: 100,
    timeoutSeconds: 30,
    // Asks for the permission of each change before it is sent, and drops a change whose permission has ended or that has expired.
    tableActions: {
      Appliances: ['Query', 'UpdateItem'],
      Companies: ['BatchGetItem'],
      Contracts: ['BatchGetItem'],
      AuditLog: ['PutItem'],
    },
    settings: ['metricNamespace', 'requiredConsentVersion'],
    queueActions: { requestedChanges: ['SendMessage'] },
  },
  recordApplianceEvents: {
    ...ofRecorder,
    summary: 'Write the changes of gateways to the feeds of companies',
    source: { stream: 'Appliances', failureQueue: 'feedFailures' },
    tableActions: { Appliances: ['Query'], Contracts: ['BatchGetItem'], ...feedActions },
    settings: ['metricNamespace', 'requiredConsentVersion'],
  },
  recordContractEvents: {
    ...ofRecorder,
    summary: 'Write the changes of contract, consent and gateways to the feeds of companies',
    source: { stream: 'Contracts', failureQueue: 'feedFailures' },
    tableActions: feedActions,
    settings: ['metricNamespace', 'requiredConsentVersion', 'consentPortalUrl'],
  },
  recordKeyNotices: {
    ...ofRecorder,
    summary: 'Write notices of expiring keys to the feeds of companies, and notify operators',
    source: { stream: 'KeyNotices', failureQueue: 'feedFailures' },
    tableActions: feedActions,
    settings: ['metricNamespace'],
    buses: ['notices'],
  },
  recordWebhookEvents: {
    ...ofRecorder,
    summary: 'Write events of disabled webhooks to the feeds of companies, and notify operators',
    // Each webhook message updates an item three times, without an event for the feed.
    source: { stream: 'Webhooks', failureQueue: 'feedFailures', onlyIf: { attribute: 'state', text: 'disabled' } },
    tableActions: feedActions,
    settings: ['metricNamespace'],
    buses: ['notices'],
  },
  sendWebhookMessage: {
    summary: 'Send a message to a webhook',
    source: { queue: 'webhookMessages' },
    // A call mostly waits for receivers. It sends its webhook messages in parallel, so a receiver that hangs does not delay the
    // others.
    batchSize: 10,
    maxConcurrency: 50,
    timeoutSeconds: 20,
    tableActions: {
      Webhooks: ['UpdateItem'],
      WebhookAttempts: ['PutItem'],
      Companies: ['GetItem'],
      'Contracts/index/byCompany': ['Query'],
    },
    settings: ['metricNamespace'],
    queueActions: { webhookMessages: ['SendMessage'] },
    // Queues the webhook message again while it is owed, at least one second after the last one.
    callsItself: true,
    macKeys: ['webhookSecrets'],
  },
} as const satisfies Record<string, Consumer>;

export type ConsumerName = keyof typeof consumers;

/** The consumers of table streams. */
export type StreamConsumerName = {
  [Name in ConsumerName]: (typeof consumers)[Name]['source'] extends { readonly stream: TableName } ? Name : never;
}[ConsumerName];

export const consumerNames = /* @__PURE__ */ Object.keys(consumers) as ConsumerName[];

/** A job: a function that a schedule invokes, and what it needs. */
export type Job = Pick<Requirements, 'tableActions' | 'settings'> & {
  readonly summary: string;
  /** An EventBridge schedule expression, in UTC. */
  readonly schedule: `cron(${string})` | `rate(${string})`;
  /** An alarm rings if the job has not run for some time. So each deployment runs the job once, at its end. */
  readonly ringsIfSilent?: true;
  /** The key of the stage's configuration that replaces the schedule by an interval in minutes. */
  readonly everyMinutes?: 'usageEveryMinutes';
  /** The job queries the log group that the functions of endpoints write to. */
  readonly queriesRequestLog?: true;
  /** The job reads the state of these KMS keys, and may not use the keys. */
  readonly watchedMacKeys?: readonly MacKeyName[];
  readonly queueActions?: QueueActions;
};

/** The interval, in minutes, at which requests are counted if the configuration sets no other. */
export const defaultUsageMinutes = 15;

/** One row per job, named after its handler's file, `lambdas/jobs/<name>.ts`; everything else is derived from the row. */
export const jobs = {
  watchKeyExpiry: {
    summary: 'Announce the keys that expire soon, and measure the time until their expiry',
    // The watch runs in the morning, so that its alarms are raised during the day.
    schedule: 'cron(0 8 * * ? *)',
    tableActions: {
      'ApiKeys/index/byExpiryMonth': ['Query'],
      ApiKeys: ['ConditionCheckItem'],
      Companies: ['GetItem'],
      'Contracts/index/byCompany': ['Query'],
      KeyNotices: ['PutItem'],
    },
    settings: ['metricNamespace'],
  },
  sweepWebhookMessages: {
    summary: 'Queue the webhook messages that are due',
    schedule: 'rate(1 minute)',
    ringsIfSilent: true,
    tableActions: { 'Webhooks/index/byDue': ['Query'] },
    settings: ['metricNamespace'],
    queueActions: { webhookMessages: ['GetQueueAttributes', 'SendMessage'] },
  },
  dropExpiredChanges: {
    summary: 'Drop the requested changes whose `validUntil` has passed',
    schedule: 'rate(1 minute)',
    tableActions: {
      'Appliances/index/byOpenUntil': ['Query'],
      Appliances: ['BatchGetItem', 'UpdateItem'],
      AuditLog: ['PutItem'],
    },
    settings: ['metricNamespace'],
  },
  watchMacKeys: {
    summary: 'Count the KMS keys that were disabled or scheduled for deletion',
    schedule: 'rate(60 minutes)',
    ringsIfSilent: true,
    tableActions: {},
    settings: ['metricNamespace'],
    watchedMacKeys: ['webhookSecrets', 'ownerPseudonyms'],
  },
  purgeFeeds: {
    summary: 'Delete the events of revoked gateways and withdrawn consents from the feeds',
    // Every six hours, so events are removed within a day even if two runs fail.
    schedule: 'rate(360 minutes)',
    tableActions: { Events: ['Query', 'UpdateItem', 'DeleteItem'], Contracts: ['BatchGetItem'] },
    settings: ['metricNamespace'],
  },
  recordUsage: {
    summary: 'Count the outcomes of the requests of each company from the log',
    // Each run is billed by the log data that it scans.
    schedule: `rate(${defaultUsageMinutes} minutes)`,
    everyMinutes: 'usageEveryMinutes',
    ringsIfSilent: true,
    tableActions: { Usage: ['GetItem', 'PutItem'] },
    settings: ['metricNamespace', 'logRetentionDays'],
    queriesRequestLog: true,
  },
} as const satisfies Record<string, Job>;

export type JobName = keyof typeof jobs;

export const jobNames = /* @__PURE__ */ Object.keys(jobs) as JobName[];

/** The jobs that a deployment runs once. */
export const jobsOfDeployment = /* @__PURE__ */ jobNames.filter((name) => 'ringsIfSilent' in jobs[name]);

/** Returns whether a job runs so often that its next run is the retry of a failed one. */
export const isItsOwnRetry = ({ schedule }: Pick<Job, 'schedule'>): boolean => schedule.startsWith('rate(');
