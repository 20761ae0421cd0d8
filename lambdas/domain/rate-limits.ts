import { type RatePolicy, type RatePolicyName, ratePolicies } from '../api/limits.ts';

/**
 * A token bucket held as one number, its theoretical arrival time (GCRA): the instant at which it will be full again, in
 * epoch milliseconds. It holds `burst × interval − max(0, arrival − now)` milliseconds of credit, a token costs one
 * interval; so a request is admitted if `arrival ≤ now + (burst − 1) × interval`, which moves arrival to
 * `max(arrival, now) + interval`. Exact in integers; an unknown bucket is full, its arrival 0.
 */
export const latestAdmissibleArrivalMs = (nowMs: number, limit: RatePolicy): number =>
  nowMs + (limit.burst - 1) * limit.refillIntervalMs;

/** How long a refused request has to wait until its token is there; 0 or less for one that is not refused. */
export const retryAfterMs = (arrivalMs: number, nowMs: number, limit: RatePolicy): number =>
  arrivalMs - latestAdmissibleArrivalMs(nowMs, limit);

/** The arrival time after a token was spent. */
export const arrivalAfterConsumingMs = (arrivalMs: number, nowMs: number, limit: RatePolicy): number =>
  Math.max(arrivalMs, nowMs) + limit.refillIntervalMs;

/** When the bucket is full again and a minute has passed, its record says nothing that its absence would not. */
export const recordExpiresAtSeconds = (nowMs: number, limit: RatePolicy): number =>
  Math.ceil((latestAdmissibleArrivalMs(nowMs, limit) + limit.refillIntervalMs) / 1000) + 60;

/** What a client is told: whole tokens left, and milliseconds until there is one more (0 when full). */
export const bucketStatus = (arrivalMs: number, nowMs: number, { burst, refillIntervalMs }: RatePolicy) => {
  const owedMs = Math.max(0, arrivalMs - nowMs);
  const remaining = Math.max(0, Math.floor((burst * refillIntervalMs - owedMs) / refillIntervalMs));
  const nextTokenMs = remaining === burst ? 0 : owedMs - (burst - 1 - remaining) * refillIntervalMs;
  return { remaining, nextTokenMs };
};

/** The requests that share a bucket, as the 429 names them: rules 19 and 20 of docs/rules.md. */
export type RateLimitKey = {
  readonly companyId: string;
  readonly gatewayId?: string;
  readonly endpoint: string;
  readonly path: string;
};

/**
 * The rate-limit key of a request: its path is built from the route's template and the checked ids, never from the client's
 * spelling, so that no second spelling has a second bucket.
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

/** The key of all gateways that the contract does not cover: one for all of them, so that guessing ids is bounded. */
export const unknownGatewayKeyOf = (companyId: string): RateLimitKey => ({
  companyId,
  endpoint: 'gateway-not-in-contract',
  path: '/hvacs/{gatewayId}',
});

/** The id of the key's bucket; none of its parts can hold the separator. */
export const bucketIdOf = ({ companyId, endpoint, path }: RateLimitKey): string => `${companyId}|${endpoint}|${path}`;

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
