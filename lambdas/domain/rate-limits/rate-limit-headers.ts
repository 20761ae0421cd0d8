import { type RatePolicyName, ratePolicies } from '../../api/limits.ts';
import { bucketStatus } from './token-bucket.ts';

/** The `RateLimit` fields of the IETF draft (draft-ietf-httpapi-ratelimit-headers); all times in whole seconds, rounded up. */
export const rateLimitHeaders = (
  ratePolicy: RatePolicyName,
  arrivalMs: number,
  nowMs: number,
): Record<string, string> => {
  const limit = ratePolicies[ratePolicy];
  const { remaining, nextTokenMs } = bucketStatus(arrivalMs, nowMs, limit);
  return {
    'RateLimit-Policy': `"${ratePolicy}";q=${limit.burst};w=${seconds(limit.burst * limit.refillIntervalMs)}`,
    RateLimit: `"${ratePolicy}";r=${remaining};t=${seconds(nextTokenMs)}`,
  };
};

/** The value of `Retry-After`: at least a second, so that nobody retries at once. */
export const retryAfterField = (waitMs: number): string => String(Math.max(1, seconds(waitMs)));

const seconds = (ms: number) => Math.ceil(ms / 1000);
