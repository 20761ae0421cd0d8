import { type RatePolicyName, ratePolicies } from '../api/limits.ts';
import { bucketStatus } from './token-bucket.ts';

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
