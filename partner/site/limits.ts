import type { Endpoint } from '../../lambdas/api/endpoints/endpoint.ts';
import { endpoints } from '../../lambdas/api/endpoints/endpoints.ts';
import {
  energyDays,
  feedDays,
  idempotencyHours,
  keyLifetimeMonths,
  maxBodyBytes,
  maxCidrsPerKey,
  maxComponents,
  maxEnergyDaysAtOnce,
  maxHolidayDays,
  maxHomeBytes,
  maxIdempotencyKeyCharacters,
  maxLabelCharacters,
  maxOverrideDays,
  maxReportedErrors,
  maxTextCharacters,
  maxValidKeysPerCompany,
  maxWebhooksPerCompany,
  pageSize,
  type RatePolicy,
  ratePolicies,
  secretOverlapHours,
  webhookCodeHours,
} from '../../lambdas/api/limits.ts';
import { type FeedEventType, feedEventTypes } from '../../lambdas/api/schemas/feed.ts';
import { rateLimitHeaders } from '../../lambdas/domain/rate-limits.ts';
import { tableOf } from './markdown.ts';

const policies = Object.entries<RatePolicy>(ratePolicies);

/** Returns the rate policies with their numbers and their operations. */
export const ratePolicyTable = (): string =>
  [
    tableOf(
      ['policy', 'requests at once', 'one more every'],
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
    `\`RateLimit: ${headers.RateLimit}\` is the state of the bucket: ${burst - 1} requests are left, and one more comes in ${refillIntervalMs / 1000} seconds.`,
  ].join('\n');
};

export const limitTable = (): string => tableOf(['limit', 'value'], limits);

/** Returns all limits including rate policies, for the change log: partners may depend on any of them. */
export const allLimitsTable = (): string =>
  tableOf(
    ['limit', 'value'],
    [
      ...policies.map(([policy, limit]) => [
        `rate policy \`${policy}\``,
        `${limit.burst} at once, one more every ${intervalOf(limit)}`,
      ]),
      ...limits,
    ],
  );

export const pageSizeWords = `1 to ${pageSize.max}, ${pageSize.default} by default`;

const limits = [
  ['valid API keys of a company', `${maxValidKeysPerCompany}`],
  ['blocks of addresses that a key may be limited to', `${maxCidrsPerKey}`],
  ['label of a key', `1 to ${maxLabelCharacters} characters`],
  ['lifetime of an API key', `${keyLifetimeMonths} calendar months`],
  ['time for which the service recognizes a repeat with an `Idempotency-Key`', `${idempotencyHours} hours`],
  ['length of an `Idempotency-Key`', `1 to ${maxIdempotencyKeyCharacters} visible ASCII characters`],
  ['webhooks of a company', `${maxWebhooksPerCompany}`],
  ['time for which the code of a webhook holds', `${webhookCodeHours} hours`],
  ['time for which the secret before the newest one signs along', `${secretOverlapHours} hours`],
  ['time for which events of the feed are kept', `${feedDays} days`],
  ['time for which the energy of a day is kept', `${energyDays} days`],
  ['days of energy that one request reads', `${maxEnergyDaysAtOnce}`],
  ['length of an override', `${maxOverrideDays} days`],
  ['time until the end of a holiday', `${maxHolidayDays} days`],
  ['size of a body', `${maxBodyBytes} bytes`],
  ['items on a page of a list', pageSizeWords],
  ['faults that one `invalid-request` lists', `${maxReportedErrors}`],
  ['a text in an answer that an appliance or the request brought', `${maxTextCharacters} characters, then it is cut`],
  ['components of a gateway that an answer lists', `${maxComponents}`],
  ['size of an answer to `getGateway` with `include`', `${maxHomeBytes} bytes, then there is another page`],
] as const;

const intervalOf = ({ refillIntervalMs }: RatePolicy): string => `${refillIntervalMs / 1000} s`;

const countedBy = (policy: string): string => operationsWith(({ ratePolicy }) => ratePolicy === policy);

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
    ['type', 'about', 'what has happened'],
    Object.entries<FeedEventType>(feedEventTypes).map(([type, { level, summary }]) => [
      `\`${type}\``,
      level === 'company' ? 'your company' : 'an appliance',
      summary,
    ]),
  );
