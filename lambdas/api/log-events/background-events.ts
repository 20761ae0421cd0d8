import * as z from 'zod/mini';
import { type ConsumerName, consumerNames, type JobName, type StreamConsumerName } from '../background-functions.ts';
import { effectOutcomes, messageFaults } from '../inbound-events/inbound-event.ts';
import { type InboundEventType, inboundEventTypes } from '../inbound-events/inbound-events.ts';
import type { MetricName } from '../metrics.ts';
import { companyIdPattern, eventIdPattern, idPattern } from '../schemas/common.ts';
import { commonFields, namesOf, type RequestEvent } from './request-event.ts';

const id = z.string().check(z.regex(idPattern));
const eventId = z.string().check(z.regex(eventIdPattern));
const count = z.int().check(z.nonnegative());

/**
 * The log event of a message that a consumer received, unless `appliedReports` covers it: all fields that its line may
 * have. No line contains the message itself; an invalid id is left out.
 */
export const takenMessage = z.strictObject({
  ...commonFields,
  operation: z.enum(consumerNames as [ConsumerName, ...ConsumerName[]]),
  /** The id of the message in its queue. */
  messageId: id,
  /** How often the message was received, including this time. */
  receiveCount: z.int(),
  type: z.optional(z.enum(inboundEventTypes as [InboundEventType, ...InboundEventType[]])),
  eventId: z.optional(eventId),
  subject: z.optional(id),
  /** How long ago the fact occurred. */
  ageMs: z.optional(z.int()),
  /**
   * After `failed`, the message is received again. After any other outcome that is neither done nor waiting, the message is
   * a dead letter. `set-aside`: the fault is ours, and no retry fixes it.
   */
  outcome: z.enum([...effectOutcomes, ...messageFaults, 'set-aside', 'failed']),
  /** How often the message has already waited for its gateway or version. */
  waits: z.optional(count),
  /** What the service expected of a refused message, or of an unusable part. */
  expected: z.optional(z.string()),
  /** A metric of messages that withdraw rights: 1 if the message became a dead letter, otherwise 0. */
  WithdrawalsRefused: z.optional(z.literal([0, 1])),
});

export type TakenMessage = z.output<typeof takenMessage>;

/** One log event for all applied reports of a batch: most reports have nothing else to log, and each line is billed. */
export const appliedReports = z.strictObject({
  ...commonFields,
  operation: z.literal('takeGatewayReports' satisfies ConsumerName),
  outcome: z.literal('applied'),
  /** The ids of the events. */
  eventIds: z.array(eventId),
  /** How long ago the oldest of the facts occurred. */
  ageMs: z.int(),
});

export type AppliedReports = z.output<typeof appliedReports>;

/** Outcomes of a stream record that could not be processed. */
const recordFaults = [
  /** The record is delivered again. */
  'failed',
  /** No retry fixes it: the failure queue received a message about the record. */
  'set-aside',
] as const;

/** The log event of an appliance's change for the gateway backend: all fields that its line may have. */
export const relayedChange = z.strictObject({
  ...commonFields,
  operation: z.literal('relayRequestedChanges' satisfies ConsumerName),
  /** Absent if the record could not be read. */
  gatewayId: z.optional(id),
  /** How many messages were sent to the backend. */
  messages: z.int(),
  /** The highest version of a requested change among them. */
  version: z.optional(z.int()),
  /** The company and the request of that change. */
  companyId: z.optional(id),
  requestId: z.optional(z.string()),
  /** How many changes were not sent, because the company may not act on the home any more, or because they have expired. */
  dropped: z.optional(count),
  /** `reconnected`: all open changes of the gateway were sent again. */
  outcome: z.enum(['sent', 'reconnected', ...recordFaults]),
});

export type RelayedChange = z.output<typeof relayedChange>;

/** The functions that write events to the feed. */
export const feedRecorders = [
  'recordApplianceEvents',
  'recordContractEvents',
  'recordKeyNotices',
  'recordWebhookEvents',
] as const satisfies readonly StreamConsumerName[];
export type FeedRecorder = (typeof feedRecorders)[number];

/** The log event of what a batch of stream records recorded for one company: all fields that its line may have. */
export const recordedEvents = z.strictObject({
  ...commonFields,
  operation: z.enum(feedRecorders),
  /** Absent, like `events`, if the company could not be determined. */
  companyId: z.optional(z.string().check(z.regex(companyIdPattern))),
  /** How many feed events the records produced. */
  events: z.optional(z.int()),
  /** How many of these the feed did not contain yet; absent if that is unknown. */
  appended: z.optional(z.int()),
  outcome: z.enum(['recorded', ...recordFaults]),
});

export type RecordedEvents = z.output<typeof recordedEvents>;

/**
 * Outcomes of one delivery. With the first five, the attempt sent a message or decided not to send one;
 * with the others, another attempt does so or did so.
 */
const deliveryOutcomes = [
  'delivered',
  /** The receiver did not accept it; it is retried. */
  'refused',
  'disabled',
  /** The company is suspended. */
  'held',
  /** No webhook message is owed any more. */
  'dropped',
  'not-owed',
  'not-due',
  'leased',
  'soon',
  /** Another process took the lease, or the webhook was deleted, before the outcome was stored. */
  'lost',
  /** The fault is ours; the sweeper queues the webhook message again. */
  'failed',
] as const;
export type DeliveryOutcome = (typeof deliveryOutcomes)[number];

/**
 * The log event of one delivery of a webhook message: all fields that its line may have. It contains no URL, no body and no
 * secret.
 */
export const deliveryEvent = z.strictObject({
  ...commonFields,
  operation: z.literal('sendWebhookMessage' satisfies ConsumerName),
  companyId: z.optional(id),
  webhookId: z.optional(id),
  outcome: z.enum(deliveryOutcomes),
  type: z.optional(z.enum(['webhook.verify', 'events.available'])),
  /** The status of the receiver's answer, or else the fault that prevented an answer. */
  status: z.optional(z.nullable(z.int())),
  fault: z.optional(z.nullable(z.string())),
  durationMs: z.optional(count),
  /** The number of consecutive failed webhook messages before this one. */
  failures: z.optional(count),
  /** The fault of ours that kept the attempt out of the list that partners see. */
  unlisted: z.optional(z.string()),
});

export type DeliveryEvent = z.output<typeof deliveryEvent>;

export const deliveryFields = namesOf(deliveryEvent.shape);

/** The log event of a run of the sweeper: all fields that its line may have. */
export const webhookSweepEvent = z.strictObject({
  ...commonFields,
  operation: z.literal('sweepWebhookMessages' satisfies JobName),
  /** How many webhook messages were queued. */
  messages: z.optional(count),
  /** A metric: how long the oldest due webhook message had been due. A failed run has no value. */
  OldestWebhookMessageMs: z.optional(count),
});

export type WebhookSweepEvent = z.output<typeof webhookSweepEvent>;

/** The log event of a run that drops expired changes: all fields that its line may have. */
export const expiryEvent = z.strictObject({
  ...commonFields,
  operation: z.literal('dropExpiredChanges' satisfies JobName),
  /** Of how many items something was dropped. */
  dropped: count,
  /** How many items could not be dropped, or parts of the index not be read; the next run tries again. */
  failed: count,
  /** The gateway of the first item that could not be dropped, whose error the line has. */
  gatewayId: z.optional(id),
  /** A metric: 1 if the run failed. A run that ended well has no value, so that its series costs nothing. */
  AuditWriteFailures: z.optional(z.literal(1)),
});

export type ExpiryEvent = z.output<typeof expiryEvent>;

/** The log event of a run that removes from feeds what owners have withdrawn: all fields that its line may have. */
export const feedPurgeEvent = z.strictObject({
  ...commonFields,
  operation: z.literal('purgeFeeds' satisfies JobName),
  /** How many companies' feeds were processed, and for how many of them the next run continues. */
  companies: count,
  unfinished: count,
  /** How many events were removed. */
  removed: count,
});

export type FeedPurgeEvent = z.output<typeof feedPurgeEvent>;

/**
 * The log event of a run that counts requests: all fields that its line may have. After a failure, they show what the run
 * had done.
 */
export const usageRunEvent = z.strictObject({
  ...commonFields,
  operation: z.literal('recordUsage' satisfies JobName),
  /** How many hours were counted. */
  periods: count,
  /** The highest number of companies that called in one of these hours. */
  companies: count,
  /** How many log queries were run; each is billed by the data that it scans. */
  queries: count,
});

export type UsageRunEvent = z.output<typeof usageRunEvent>;

/** The log event of a run that watches KMS keys. A failed run has the error instead of these fields. */
export const macKeyWatchEvent = z.strictObject({
  ...commonFields,
  operation: z.literal('watchMacKeys' satisfies JobName),
  /** The names of the keys that cannot be used, each with its state in KMS. */
  states: z.optional(z.string()),
  /** A metric: the number of these keys. */
  MacKeysUnusable: z.optional(count),
});

export type MacKeyWatchEvent = z.output<typeof macKeyWatchEvent>;

/** The metrics that no request, no consumer and no other job counts. */
const numbers = {
  KeysExpiring: z.optional(count),
  DaysToLastKeyExpiry: z.optional(z.number().check(z.nonnegative())),
} satisfies Record<
  Exclude<MetricName, keyof RequestEvent | keyof TakenMessage | keyof WebhookSweepEvent | keyof MacKeyWatchEvent>,
  z.ZodMiniType
>;

/**
 * The log event of a run of the daily watch: all fields that its line may have. A failed run has the error instead of
 * numbers.
 */
export const keyWatchEvent = z.strictObject({
  ...commonFields,
  operation: z.literal('watchKeyExpiry' satisfies JobName),
  /** How many companies have keys to watch. */
  companies: z.optional(count),
  /** How many notices are new. */
  notices: z.optional(count),
  /** The company that `DaysToLastKeyExpiry` is about. */
  nearestCompanyId: z.optional(z.string().check(z.regex(idPattern))),
  ...numbers,
});

export type KeyWatchEvent = z.output<typeof keyWatchEvent>;

export const keyWatchFields = namesOf(keyWatchEvent.shape);
