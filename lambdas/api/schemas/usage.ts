import * as z from 'zod/mini';
import { defaultUsageDays, keptLimitedPaths, pageSize, shownLimitedPaths, usageDays, usageHours } from '../limits.ts';
import { keyLabel } from './api-key.ts';
import { count, type Documentation, date, id, matching, timestamp } from './common.ts';

/** Usage is grouped by day by default. */
const bys = ['hour', 'key'] as const;

const notWithHours = (name: 'from' | 'to') =>
  z.refine<{ by?: string | undefined; from?: string | undefined; to?: string | undefined }>(
    (query) => query.by !== 'hour' || query[name] === undefined,
    { path: [name], error: `Expected no \`${name}\` with \`by=hour\`, which shows the last ${usageHours} hours.` },
  );

export const usageQuery = () =>
  z
    .object({
      by: z.optional(z.enum(bys, 'Expected hour or key; without it, requests are shown by day.')),
      from: z.optional(date()),
      to: z.optional(date()),
    })
    .check(notWithHours('from'), notWithHours('to'));

export const usageQueryDescriptions = () => ({
  by: `\`hour\` shows the last ${usageHours} hours, hour by hour, and accepts neither \`from\` nor \`to\`. \`key\` shows the number of requests of each key from the first day to the last. If absent, requests are shown by day.`,
  from: `The first day, UTC; ${defaultUsageDays - 1} days before the last day if absent. At most ${usageDays - 1} days before today.`,
  to: 'The last day, UTC; today if absent.',
});

const operation = () => matching(/^[A-Za-z]+$/, 64);

/** A number for each name that there was, which is the name of a rate policy or the code of a problem. */
const countsByName = () => z.record(matching(/^[a-z-]+$/, 64), count());

/** No version has as many operations. */
const maxItems = Math.max(usageDays, usageHours) * 200;

/** The existing keys, and the same number of deleted keys. */
export const maxUsageKeys = 2 * pageSize.max;

export const usage = () =>
  z.looseObject({
    from: date(),
    to: date(),
    asOf: z.nullable(timestamp()),
    items: z
      .array(
        z.looseObject({
          day: date(),
          hour: z.optional(timestamp()),
          operation: operation(),
          allowed: count(),
          limited: countsByName(),
          refused: countsByName(),
          failed: countsByName(),
        }),
      )
      .check(z.maxLength(maxItems)),
    mostLimitedPaths: z
      .array(
        z.looseObject({
          operation: operation(),
          path: matching(/^\/[\w./{}-]*$/, 512),
          ratePolicy: matching(/^[a-z-]+$/, 64),
          limited: count(),
        }),
      )
      .check(z.maxLength(shownLimitedPaths)),
    keys: z
      .array(
        z.looseObject({
          keyId: id(),
          label: z.optional(z.nullable(keyLabel())),
          lastUsedOn: z.nullable(date()),
          lastHour: z.optional(z.nullable(timestamp())),
          requests: z.optional(
            z.looseObject({ allowed: count(), limited: count(), refused: count(), failed: count() }),
          ),
        }),
      )
      .check(z.maxLength(maxUsageKeys)),
  });

export const usageDocs = (): Documentation<typeof usage> => ({
  example: {
    from: '2026-11-24',
    to: '2026-11-25',
    asOf: '2026-11-25T10:15:00Z',
    items: [
      {
        day: '2026-11-25',
        operation: 'listDhwCircuits',
        allowed: 3,
        limited: { gateway: 20 },
        refused: { 'consent-outdated': 1 },
        failed: {},
      },
    ],
    mostLimitedPaths: [
      { operation: 'listDhwCircuits', path: '/hvacs/gw-1001/dhwCircuits', ratePolicy: 'gateway', limited: 20 },
    ],
    keys: [{ keyId: 'f3QnT7wLx0RkVb2Z', lastUsedOn: '2026-11-25' }],
  },
  properties: {
    from: 'The first day, UTC.',
    to: 'The last day, UTC.',
    asOf: 'The time up to which requests are counted, UTC. Requests of the last minutes before this time may still be missing, and some later requests may be counted. Null if requests were never counted.',
    items: {
      description:
        'The outcomes of the requests with a key of the company, by day and operation, or with `by=hour` by hour and operation. Entries without requests are left out. Empty with `by=key`.',
      properties: {
        day: 'The day of the requests, UTC.',
        hour: 'The beginning of the hour of the requests, UTC; only with `by=hour`.',
        operation: 'The `operationId` of the operation.',
        allowed: 'How many requests were served.',
        limited: {
          description: 'How many requests were refused with 429, by the rate policy that had no token for them.',
          properties: {},
        },
        refused: { description: 'How many requests were refused, by the `code` of the problem.', properties: {} },
        failed: {
          description: 'How many requests failed because of a fault of the service, by the `code` of the problem.',
          properties: {},
        },
      },
    },
    mostLimitedPaths: {
      description: `The ${shownLimitedPaths} paths with the most 429s. Only the ${keptLimitedPaths} paths with the most 429s of each hour are counted.`,
      properties: {
        operation: 'The `operationId` of the operation.',
        path: 'The path with its ids, as the rate limit counts it. All paths of gateways outside your contracts count as one path.',
        ratePolicy: 'The rate policy that had no token.',
        limited: 'How many requests were refused with 429.',
      },
    },
    keys: {
      description: `The keys of the company, the most recently used key first; if there are more than ${pageSize.max} keys, the keys that GET /api-keys lists first. With \`by=key\`, other keys that were used in the period follow, such as deleted keys.`,
      properties: {
        keyId: 'The id of the key.',
        label: 'The name of the key; null if it has none or was deleted. Only with `by=key`.',
        lastUsedOn:
          'The last day, UTC, on which the key was used; null if it was never used. For a deleted key, the last day of use within the period.',
        lastHour:
          'The beginning of the last hour of the period in which the key was used, UTC; null if the key was not used in the period. Only with `by=key`.',
        requests: {
          description: 'The number of requests with the key in the period. Only with `by=key`.',
          properties: {
            allowed: 'How many were served.',
            limited: 'How many were refused with 429.',
            refused: 'How many were refused for another reason.',
            failed: 'How many failed because of a fault of the service.',
          },
        },
      },
    },
  },
});
