import * as z from 'zod/mini';
import type { StreamConsumerName } from '../background-functions.ts';
import { companyIdPattern } from '../schemas/common.ts';
import { commonFields } from './event.ts';

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
  /** `failed`: the records are delivered again. */
  outcome: z.enum(['recorded', 'failed']),
});

export type RecordedEvents = z.output<typeof recordedEvents>;
