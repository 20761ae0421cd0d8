import { type RatePolicy, type RatePolicyName, ratePolicies } from '../api/limits.ts';

/**
 * A token bucket held as one number, its theoretical arrival time (GCRA): the instant at which it will be full again, in
 * epoch milliseconds. It holds `burst × interval − max(0, arrival − now)` milliseconds of credit, a token costs one
 * interval; so a request is admitted if `arrival ≤ now + (burst − 1) × interval`, which moves arrival to
 * `max(arrival, now) + interval`. Exact in integers; an unknown bucket is full, its arrival 0.
 */
export const latestAdmissibleArrivalMs = (nowMs: number, limit: RatePolicy): number =>
  nowMs + (limit.burst - 1) * limit.refillIntervalMs;

/** Returns how long a refused request has to wait for its token; 0 or less for a request that is not refused. */
export const retryAfterMs = (arrivalMs: number, nowMs: number, limit: RatePolicy): number =>
  arrivalMs - latestAdmissibleArrivalMs(nowMs, limit);

/** Returns the arrival time after a token was spent. */
export const arrivalAfterConsumingMs = (arrivalMs: number, nowMs: number, limit: RatePolicy): number =>
  Math.max(arrivalMs, nowMs) + limit.refillIntervalMs;

/** When the record expires: a minute after the bucket is full again, an absent record has the same meaning. */
export const recordExpiresAtSeconds = (nowMs: number, limit: RatePolicy): number =>
  Math.ceil((latestAdmissibleArrivalMs(nowMs, limit) + limit.refillIntervalMs) / 1000) + 60;

/** Returns what clients see: whole tokens left, and milliseconds until there is one more (0 when full). */
export const bucketStatus = (arrivalMs: number, nowMs: number, { burst, refillIntervalMs }: RatePolicy) => {
  const owedMs = Math.max(0, arrivalMs - nowMs);
  const remaining = Math.max(0, Math.floor((burst * refillIntervalMs - owedMs) / refillIntervalMs));
  const nextTokenMs = remaining === burst ? 0 : owedMs - (burst - 1 - remaining) * refillIntervalMs;
  return { remaining, nextTokenMs };
};

/** What requests that share a bucket have in common, as the 429 names it: rules 19 and 20 of docs/rules.md. */
export type RateLimitKey = {
  readonly companyId: string;
  readonly gatewayId?: string;
  readonly endpoint: string;
  readonly path: string;
};

/**
 * Returns the rate-limit key of a request. Its path is built from the route's template and the checked ids, never from the
 * client's spelling, so that another spelling does not get another bucket.
 */
export const rateLimitKeyOf = (
  companyId: string,
  endpoint: string,
  pathTemplate: string,
  pathIds: Readonly<Record<string, string>>,
): RateLimitKey => ({
  companyId,
  ...(pathIds.gatewayId !== undefined && { gatewayId: pathIds.gatewayId }),
  endpoint,
  path: pathTemplate.replace(/\{(\w+)\}/g, (_, name: string) => pathIds[name] as string),
});

/**
 * Returns the key of all gateways that the contract does not cover. They share one bucket, so that guesses of ids are limited.
 */
export const unknownGatewayKeyOf = (companyId: string): RateLimitKey => ({
  companyId,
  endpoint: 'gateway-not-in-contract',
  path: '/hvacs/{gatewayId}',
});

/** Returns the id of the key's bucket; its parts cannot contain the separator. */
export const bucketIdOf = ({ companyId, endpoint, path }: RateLimitKey): string => `${companyId}|${endpoint}|${path}`;

/** The `RateLimit` fields of the IETF draft (draft-ietf-httpapi-ratelimit-headers); times are whole seconds, rounded up. */
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

/** Returns the value of `Retry-After`: at least a second, so that clients do not retry at once. */
export const retryAfterField = (waitMs: number): string => String(Math.max(1, seconds(waitMs)));

const seconds = (ms: number) => Math.ceil(ms / 1000);
