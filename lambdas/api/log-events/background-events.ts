import * as z from 'zod/mini';
import { type ConsumerName, consumerNames, type JobName, type StreamConsumerName } from '../background-functions.ts';
import { effectOutcomes, messageFaults } from '../inbound-events/inbound-event.ts';
import { type InboundEventType, inboundEventTypes } from '../inbound-events/inbound-events.ts';
import type { MetricName } from '../metrics.ts';
import { companyIdPattern, idPattern } from '../schemas/common.ts';
import { commonFields, namesOf, type RequestEvent } from './request-event.ts';

const id = z.string().check(z.regex(idPattern));
const count = z.int().check(z.nonnegative());

/**
 * The event of a message that a consumer took from its queue, unless it is told with others: all that its line may hold. The message itself is in no
 * line; an id that is none is left out.
 */
export const takenMessage = z.strictObject({
  ...commonFields,
  operation: z.enum(consumerNames as [ConsumerName, ...ConsumerName[]]),
  /** The id of the message in its queue. */
  messageId: id,
  /** How often the message was received, this time included. */
  receiveCount: z.int(),
  type: z.optional(z.enum(inboundEventTypes as [InboundEventType, ...InboundEventType[]])),
  eventId: z.optional(id),
  subject: z.optional(id),
  /** How long ago the fact came about. */
  ageMs: z.optional(z.int()),
  /**
   * Of what is neither done nor waits, the last is received again, and all others are dead letters.
   * `set-aside`: the fault is ours, and no retry mends it.
   */
  outcome: z.enum([...effectOutcomes, ...messageFaults, 'set-aside', 'failed']),
  /** How often the message has waited before for what it is about. */
  waits: z.optional(count),
  /** What was expected of a message that was refused, or of a part of it that could not be used. */
  expected: z.optional(z.string()),
  /** A metric: the message is a dead letter that would have withdrawn rights. */
  WithdrawalsRefused: z.optional(z.literal(1)),
});

export type TakenMessage = z.output<typeof takenMessage>;

/** The event of what was applied of a batch of reports, together: most say nothing but that, and each line is paid for. */
export const appliedReports = z.strictObject({
  ...commonFields,
  operation: z.literal('takeGatewayReports' satisfies ConsumerName),
  outcome: z.literal('applied'),
  /** The ids of the events. */
  eventIds: z.array(id),
  /** How long ago the fact of the oldest came about. */
  ageMs: z.int(),
});

export type AppliedReports = z.output<typeof appliedReports>;

/** What a record of a stream comes to that could not be handled. */
const recordFaults = [
  /** It is delivered again. */
  'failed',
  /** No retry mends it: the failure queue got word of it. */
  'set-aside',
] as const;

/** The event of a change of an appliance that was to be told to its backend: all that its line may hold. */
export const relayedChange = z.strictObject({
  ...commonFields,
  operation: z.literal('relayRequestedChanges' satisfies ConsumerName),
  /** Absent if the record could not be read. */
  gatewayId: z.optional(id),
  /** How many messages the backend was sent for it. */
  messages: z.int(),
  /** The highest version of a requested change among them. */
  version: z.optional(z.int()),
  /** The company and the request of that change. */
  companyId: z.optional(id),
  requestId: z.optional(z.string()),
  /** `reconnected`: all changes of the gateway that are open were sent again. The last two are those of any record. */
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

/** The event of what a batch of a stream's records meant to one company: all that its line may hold. */
export const recordedEvents = z.strictObject({
  ...commonFields,
  operation: z.enum(feedRecorders),
  /** Absent, like the number of events, if it could not be told whose they are. */
  companyId: z.optional(z.string().check(z.regex(companyIdPattern))),
  /** How many events of the feed the records meant. */
  events: z.optional(z.int()),
  /** How many of them the feed did not have yet; absent if that is not known. */
  appended: z.optional(z.int()),
  outcome: z.enum(['recorded', ...recordFaults]),
});

export type RecordedEvents = z.output<typeof recordedEvents>;

/**
 * What an occasion to poke came to. The first five have sent something, or have decided not to; of the others, somebody else
 * does it or did it.
 */
const pokeOutcomes = [
  'delivered',
  /** It is tried again. */
  'refused',
  'disabled',
  /** The company is suspended. */
  'held',
  /** Nothing is owed any more. */
  'dropped',
  'not-owed',
  'not-due',
  'leased',
  'soon',
  /** Somebody else had the lease, or the webhook was deleted, before it was written down. */
  'lost',
  /** The fault is ours; the sweeper finds the webhook. */
  'failed',
] as const;
export type PokeOutcome = (typeof pokeOutcomes)[number];

/** The event of an occasion to poke: all that its line may hold. No URL, no body and no secret stands in it. */
export const pokeEvent = z.strictObject({
  ...commonFields,
  operation: z.literal('sendPoke' satisfies ConsumerName),
  companyId: z.optional(id),
  webhookId: z.optional(id),
  outcome: z.enum(pokeOutcomes),
  type: z.optional(z.enum(['webhook.verify', 'events.available'])),
  /** What the receiver answered, or else the fault that kept it from that. */
  status: z.optional(z.nullable(z.int())),
  fault: z.optional(z.nullable(z.string())),
  durationMs: z.optional(count),
  /** How many pokes have failed in a row before this one. */
  failures: z.optional(count),
});

export type PokeEvent = z.output<typeof pokeEvent>;

export const pokeFields = namesOf(pokeEvent.shape);

/** The event of a run of the sweeper: all that its line may hold. */
export const pokeSweepEvent = z.strictObject({
  ...commonFields,
  operation: z.literal('sweepPokes' satisfies JobName),
  /** How many pokes were queued. */
  pokes: z.optional(count),
  /** A metric: how long the oldest of them had been due. A run that failed has none. */
  OldestPokeMs: z.optional(count),
});

export type PokeSweepEvent = z.output<typeof pokeSweepEvent>;

/** The event of a run that removes from feeds what owners have taken back: all that its line may hold. */
export const feedPurgeEvent = z.strictObject({
  ...commonFields,
  operation: z.literal('purgeFeeds' satisfies JobName),
  /** How many companies' feeds were gone through, and in how many of them the next run goes on. */
  companies: count,
  unfinished: count,
  /** How many events were removed. */
  removed: count,
});

export type FeedPurgeEvent = z.output<typeof feedPurgeEvent>;

/** The event of a run that counts requests: all that its line may hold. Of a run that failed, it is what it had done. */
export const usageRunEvent = z.strictObject({
  ...commonFields,
  operation: z.literal('recordUsage' satisfies JobName),
  /** How many hours were counted. */
  periods: count,
  /** How many companies had called in the hour with most of them. */
  companies: count,
  /** How many queries the log was asked; each is paid for by what it reads. */
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
  Exclude<MetricName, keyof RequestEvent | keyof TakenMessage | keyof PokeSweepEvent | keyof MacKeyWatchEvent>,
  z.ZodMiniType
>;

/** The event of a run of the daily watch: all that its line may hold. A run that failed has the error instead of numbers. */
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
