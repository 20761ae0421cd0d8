import * as z from 'zod/mini';
import type { JobName } from '../background-functions.ts';
import type { MetricName } from '../metrics.ts';
import { idPattern } from '../schemas/common.ts';
import { commonFields, namesOf } from './event.ts';
import type { PokeSweepEvent } from './poke-event.ts';
import type { RequestEvent } from './request-event.ts';

const count = z.int().check(z.nonnegative());

/** Numbers that are metrics: all that neither a request counts nor the sweeper of pokes. */
const numbers = {
  KeysExpiring: z.optional(count),
  DaysToLastKeyExpiry: z.optional(z.number().check(z.nonnegative())),
} satisfies Record<Exclude<MetricName, keyof RequestEvent | keyof PokeSweepEvent>, z.ZodMiniType>;

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
