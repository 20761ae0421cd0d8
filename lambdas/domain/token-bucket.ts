import type { RatePolicy } from '../api/limits.ts';

/**
 * A token bucket held as one number, its theoretical arrival time (GCRA): the instant at which it will be full again, in
 * epoch milliseconds. It holds `burst × interval − max(0, arrival − now)` milliseconds of credit, a token costs one
 * interval; so a request is admitted if `arrival ≤ now + (burst − 1) × interval`, which moves arrival to
 * `max(arrival, now) + interval`. Exact in integers; an unknown bucket is full, its arrival 0.
 */
export const latestAdmissibleArrivalMs = (nowMs: number, limit: RatePolicy): number =>
  nowMs + (limit.burst - 1) * limit.refillIntervalMs;

/**
 * Returns how long a refused request has to wait for its token, one interval at most; 0 or less for a request that is not
 * refused.
 */
export const retryAfterMs = (arrivalMs: number, nowMs: number, limit: RatePolicy): number =>
  arrivalMs - latestAdmissibleArrivalMs(bucketTimeMs(arrivalMs, nowMs, limit), limit);

/**
 * Returns the time of a bucket as far as it is known. A request that a later one has overtaken comes from the past of the bucket.
 * No token moves arrival further than `burst × interval` ahead, so the bucket has reached `arrival − burst × interval`. This
 * admits no further request: at that time the bucket was empty.
 */
const bucketTimeMs = (arrivalMs: number, nowMs: number, { burst, refillIntervalMs }: RatePolicy): number =>
  Math.max(nowMs, arrivalMs - burst * refillIntervalMs);

/** Returns the arrival time after a token was spent. */
export const arrivalAfterConsumingMs = (arrivalMs: number, nowMs: number, limit: RatePolicy): number =>
  Math.max(arrivalMs, nowMs) + limit.refillIntervalMs;

/** When the record expires: a minute after the bucket is full again, an absent record has the same meaning. */
export const recordExpiresAtSeconds = (nowMs: number, limit: RatePolicy): number =>
  Math.ceil((latestAdmissibleArrivalMs(nowMs, limit) + limit.refillIntervalMs) / 1000) + 60;

/** Returns what clients see: whole tokens left, and milliseconds until there is one more (0 when full). */
export const bucketStatus = (arrivalMs: number, nowMs: number, limit: RatePolicy) => {
  const { burst, refillIntervalMs } = limit;
  const owedMs = Math.max(0, arrivalMs - bucketTimeMs(arrivalMs, nowMs, limit));
  const remaining = Math.floor((burst * refillIntervalMs - owedMs) / refillIntervalMs);
  const nextTokenMs = remaining === burst ? 0 : owedMs - (burst - 1 - remaining) * refillIntervalMs;
  return { remaining, nextTokenMs };
};
