import * as z from 'zod/mini';
import { type ConsumerName, consumerNames } from '../background-functions.ts';
import { type InboundEventType, inboundEventTypes } from '../inbound-events/inbound-events.ts';
import { idPattern } from '../schemas/common.ts';
import { commonFields } from './event.ts';

const id = z.string().check(z.regex(idPattern));

/** What an event comes to that is done with: its message leaves the queue. */
export const doneOutcomes = [
  'applied',
  /** Taken over, and access stays as it was. */
  'noted',
  /** Something newer is known of the same thing. */
  'stale',
] as const;
export type DoneOutcome = (typeof doneOutcomes)[number];

/** What an event comes to that could be read. All but the first leave its message in the queue. */
export const effectOutcomes = [
  ...doneOutcomes,
  'gateway-not-found',
  'contract-not-found',
  'foreign-user',
  'unknown-consent-version',
  'version-not-found',
] as const;
export type EffectOutcome = (typeof effectOutcomes)[number];

/** What is wrong with a message that cannot be an event. */
export const messageFaults = [
  'too-long',
  'not-json',
  'repeated-property',
  'unknown-type',
  'wrong-queue',
  'invalid',
  'future-time',
] as const;
export type MessageFault = (typeof messageFaults)[number];

/**
 * The event of a message that a consumer took from its queue: all that its line may hold. The message itself is in no
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
  /** `failed`: the fault is ours, and the message is received again. */
  outcome: z.enum([...effectOutcomes, ...messageFaults, 'failed']),
  /** What was expected of a message that was refused. */
  expected: z.optional(z.string()),
});

export type TakenMessage = z.output<typeof takenMessage>;
