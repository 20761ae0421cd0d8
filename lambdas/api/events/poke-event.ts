import * as z from 'zod/mini';
import type { ConsumerName, JobName } from '../background-functions.ts';
import { idPattern } from '../schemas/common.ts';
import { commonFields, namesOf } from './event.ts';

const id = z.string().check(z.regex(idPattern));
const count = z.int().check(z.nonnegative());

/**
 * What an occasion to poke came to. The first five have sent something, or have decided not to; of the others, somebody else
 * does it or did it.
 */
export const pokeOutcomes = [
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
  /** The fault is ours; the message is received again. */
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
