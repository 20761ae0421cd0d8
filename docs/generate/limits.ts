import type { Endpoint } from '../../lambdas/api/endpoints/endpoint.ts';
import { endpoints } from '../../lambdas/api/endpoints/endpoints.ts';
import { limitDocs, pageSize, type RatePolicy, ratePolicies } from '../../lambdas/api/limits.ts';
import { type FeedEventType, feedEventTypes } from '../../lambdas/api/schemas/feed.ts';
import { rateLimitHeaders } from '../../lambdas/domain/rate-limits.ts';
import { tableOf } from '../../partner/site/markdown.ts';

const policies = Object.entries<RatePolicy>(ratePolicies);

/** Returns the rate policies with their numbers and their operations. */
export const ratePolicyTable = (): string =>
  [
    tableOf(
      ['policy', 'burst', 'one more token every'],
      policies.map(([policy, limit]) => [`\`${policy}\``, `${limit.burst}`, intervalOf(limit)]),
    ),
    policies.map(([policy]) => `- \`${policy}\` applies to ${countedBy(policy)}.`).join('\n'),
  ].join('\n\n');

/** Describes the headers after the first request of a policy. */
export const rateLimitHeaderLines = (): string => {
  const { burst, refillIntervalMs } = ratePolicies.gateway;
  const headers = rateLimitHeaders('gateway', refillIntervalMs, 0);
  const periodSeconds = (burst * refillIntervalMs) / 1000;
  return [
    `\`RateLimit-Policy: ${headers['RateLimit-Policy']}\` is the policy: ${burst} requests at once, and ${periodSeconds} seconds until an empty bucket is full.`,
    `\`RateLimit: ${headers.RateLimit}\` is the state of the bucket: ${burst - 1} requests are left, and the next token is added in ${refillIntervalMs / 1000} seconds.`,
  ].join('\n');
};

export const limitTable = (): string => tableOf(['limit', 'value'], limitDocs());

/** Returns all limits including rate policies, for the change log: partners may depend on any of them. */
export const allLimitsTable = (): string =>
  tableOf(
    ['limit', 'value'],
    [
      ...policies.map(([policy, limit]) => [
        `rate policy \`${policy}\``,
        `${limit.burst} at once, one more token every ${intervalOf(limit)}`,
      ]),
      ...limitDocs(),
    ],
  );

const intervalOf = ({ refillIntervalMs }: RatePolicy): string => `${refillIntervalMs / 1000} s`;

const countedBy = (policy: string): string => operationsWith(({ ratePolicy }) => ratePolicy === policy);

/** How many homes a second a fleet reads in the guide. Each gateway has a bucket of its own, so no rate policy bounds it. */
const homesASecond = 20;

/** Returns the requests with which a company lists the gateways of its owners, and the seconds that its rate limit takes. */
export const fleetListing = (owners: number) => {
  const { burst, refillIntervalMs } = ratePolicies[endpoints.listContracts.ratePolicy];
  const requests = Math.ceil(owners / pageSize.max);
  return { requests, seconds: (Math.max(0, requests - burst) * refillIntervalMs) / 1000 };
};

/** Returns how long fleets take to read all homes, if each owner has one gateway. */
export const fleetTable = (): string =>
  tableOf(
    [
      'owners',
      'requests for the gateways',
      'at the rate limit',
      'requests for the homes',
      `at ${homesASecond} a second`,
    ],
    [1000, 10_000].map((owners) => {
      const { requests, seconds } = fleetListing(owners);
      return [
        ...[owners, requests].map(grouped),
        durationOf(seconds),
        grouped(owners),
        durationOf(owners / homesASecond),
      ];
    }),
  );

const grouped = (count: number): string => count.toLocaleString('en');

const durationOf = (seconds: number): string =>
  seconds < 60 ? `${Math.ceil(seconds)} s` : `${(seconds / 60).toFixed(1)} min`;

/** Returns the operations that return pages. */
export const pagedOperations = (): string =>
  operationsWith(({ query }) => {
    const names = Object.keys(query?.().shape ?? {});
    return names.includes('cursor') && names.includes('limit');
  });

/** Returns the operations that accept the header `Idempotency-Key`. */
export const idempotentOperations = (): string => operationsWith(({ idempotencyKey }) => idempotencyKey !== undefined);

const operationsWith = (isMeant: (endpoint: Endpoint) => boolean): string =>
  Object.entries<Endpoint>(endpoints)
    .filter(([, endpoint]) => isMeant(endpoint))
    .map(([operationId]) => `\`${operationId}\``)
    .join(', ');

/** Returns the event types of the feed; events about an appliance need the owner's consent. */
export const eventTypeTable = (): string =>
  tableOf(
    ['type', 'concerns', 'meaning'],
    Object.entries<FeedEventType>(feedEventTypes).map(([type, { level, summary }]) => [
      `\`${type}\``,
      level === 'company' ? 'your company' : 'an appliance',
      summary,
    ]),
  );
