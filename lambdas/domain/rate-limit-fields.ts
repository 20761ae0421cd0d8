import { type RateClass, rateClasses } from '../api/rate-classes.ts';
import { standingOf } from './token-bucket.ts';

/** The `RateLimit` fields of the IETF draft (draft-ietf-httpapi-ratelimit-headers); all times in whole seconds, rounded up. */
export const rateLimitFields = (rateClass: RateClass, arrivalMs: number, nowMs: number): Record<string, string> => {
  const limit = rateClasses[rateClass];
  const { remaining, nextTokenMs } = standingOf(arrivalMs, nowMs, limit);
  return {
    'RateLimit-Policy': `"${rateClass}";q=${limit.burst};w=${seconds(limit.burst * limit.refillIntervalMs)}`,
    RateLimit: `"${rateClass}";r=${remaining};t=${seconds(nextTokenMs)}`,
  };
};

/** The value of `Retry-After`: at least a second, so that nobody retries at once. */
export const retryAfterField = (waitMs: number): string => String(Math.max(1, seconds(waitMs)));

const seconds = (ms: number) => Math.ceil(ms / 1000);
