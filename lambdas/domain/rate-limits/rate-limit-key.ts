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
