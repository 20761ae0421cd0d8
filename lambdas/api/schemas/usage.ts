import * as z from 'zod/mini';
import { defaultUsageDays, keptLimitedPaths, pageSize, shownLimitedPaths, usageDays } from '../limits.ts';
import { count, type Documentation, date, id, matching, timestamp } from './common.ts';

export const usageQuery = () => z.object({ from: z.optional(date()), to: z.optional(date()) });

export const usageQueryDescriptions = () => ({
  from: `The first day, UTC; if absent, ${defaultUsageDays - 1} days before the last one. At most ${usageDays - 1} days before today.`,
  to: 'The last day, UTC; today if absent.',
});

const operation = () => matching(/^[A-Za-z]+$/, 64);

/** A number for each name that there was, which is the name of a rate policy or the code of a problem. */
const countsByName = () => z.record(matching(/^[a-z-]+$/, 64), count());

/** No version has as many operations. */
const maxItems = usageDays * 200;

export const usage = () =>
  z.looseObject({
    from: date(),
    to: date(),
    asOf: z.nullable(timestamp()),
    items: z
      .array(
        z.looseObject({
          day: date(),
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
    keys: z.array(z.looseObject({ keyId: id(), lastUsedOn: z.nullable(date()) })).check(z.maxLength(pageSize.max)),
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
    asOf: 'When the requests were counted last, UTC; those of the last minutes before it may still be missing. Null if they were never counted.',
    items: {
      description:
        'What became of the requests with a key of the company, by day and operation; those without a request are left out. An operation goes by its `operationId`.',
      properties: {
        day: 'The day of the request, UTC.',
        operation: 'The `operationId` of the operation.',
        allowed: 'How many requests were served.',
        limited: {
          description: 'How many requests were answered with 429, by the rate policy that had no token for them.',
          properties: {},
        },
        refused: { description: 'How many requests were refused, by the `code` of the problem.', properties: {} },
        failed: {
          description: 'How many requests failed by a fault of the service, by the `code` of the problem.',
          properties: {},
        },
      },
    },
    mostLimitedPaths: {
      description: `The ${shownLimitedPaths} paths that were answered with 429 most often. A path counts on the days on which it is among the ${keptLimitedPaths} that were limited most.`,
      properties: {
        operation: 'The `operationId` of the operation.',
        path: 'The path with its ids, as the rate limit counts it. All paths of gateways outside of your contracts are one.',
        ratePolicy: 'The rate policy that had no token.',
        limited: 'How many requests were answered with 429.',
      },
    },
    keys: {
      description: `When each key was used last, the last used one first; of more than ${pageSize.max} keys those that GET /api-keys lists first.`,
      properties: {
        keyId: 'The id of the key.',
        lastUsedOn: 'The last day, UTC, on which the key was used; null if it was never used.',
      },
    },
  },
});
