import * as z from 'zod';
import { requestFields as fields } from '../../../lambdas/api/log-events/request-event.ts';
import type { Decision } from '../../../lambdas/api/metrics.ts';
import { toTimestamp } from '../../../lambdas/domain/time.ts';
import { timeInLog } from '../../../lambdas/runtime/log-queries.ts';
import { companyId, defineCommand, limitOption } from '../../cli/command.ts';
import { rangeSince, sinceOption } from '../../cli/times.ts';
import { requireCompany } from '../../companies/contract.ts';

/** A group of requests: their number, and the times of the first and the last one. */
const counted = {
  operation: z.string(),
  requests: z.int(),
  first: z.iso.datetime(),
  last: z.iso.datetime(),
};

const outcome = z.strictObject({
  ...counted,
  decision: z.string(),
  /** The code of the problem; null if the requests were served. */
  reason: z.string().nullable(),
  /** The policy that limited the requests; null if they were not limited. */
  ratePolicy: z.string().nullable(),
});

const limitedPath = z.strictObject({ ...counted, path: z.string().nullable(), ratePolicy: z.string().nullable() });

export const companyRequests = defineCommand({
  noun: 'company',
  verb: 'requests',
  summary:
    'Show the outcomes of the requests of a company, by operation, reason and rate policy, and the paths with 429s, from the log up to the current minute',
  arguments: { companyId },
  options: {
    since: sinceOption('1h'),
    limit: limitOption(1000, 20),
  },
  changes: false,
  requirements: {
    tableActions: { Companies: ['GetItem'] },
    serviceActions: ['logs:GetQueryResults', 'logs:StartQuery'],
  },
  output: z.strictObject({
    companyId: z.string(),
    since: z.iso.datetime(),
    outcomes: z.array(outcome),
    /** The most-limited paths, at most as many as the option `limit`. */
    limitedPaths: z.array(limitedPath),
  }),
  run: async ({ connect, nowMs }, { companyId: id, since, limit }) => {
    const range = rangeSince(since, nowMs);
    const { store, queryLog } = await connect();
    await requireCompany(store, id);
    const [outcomes, limitedPaths] = await Promise.all([
      queryLog.requests(outcomesQuery(id), range),
      queryLog.requests(limitedPathsQuery(id, limit), range),
    ]);
    return {
      companyId: id,
      since: toTimestamp(range.fromMs),
      outcomes: outcomes.map((row) => ({
        ...countOf(row),
        decision: row[fields.decision] ?? '',
        reason: row[fields.reason] ?? null,
        ratePolicy: row[fields.ratePolicy] ?? null,
      })),
      limitedPaths: limitedPaths.map((row) => ({
        ...countOf(row),
        path: row[fields.path] ?? null,
        ratePolicy: row[fields.ratePolicy] ?? null,
      })),
    };
  },
  view: ({ companyId: id, since, outcomes, limitedPaths }) => [
    { title: `${id} since ${since}`, rows: outcomes, ifEmpty: 'no requests' },
    { title: 'Paths with 429', rows: limitedPaths, ifEmpty: 'none' },
  ],
});

const sums = 'count(*) as requests, earliest(@timestamp) as first, latest(@timestamp) as last';

const outcomesQuery = (id: string): string =>
  `filter ${fields.companyId} = "${id}"
| stats ${sums} by ${fields.operation}, ${fields.decision}, ${fields.reason}, ${fields.ratePolicy}
| sort requests desc`;

const limitedPathsQuery = (id: string, limit: number): string =>
  `filter ${fields.companyId} = "${id}" and ${fields.decision} = "${'limited' satisfies Decision}"
| stats ${sums} by ${fields.operation}, ${fields.ratePolicy}, ${fields.path}
| sort requests desc
| limit ${limit}`;

const countOf = (row: Readonly<Record<string, string>>) => ({
  operation: row[fields.operation] ?? '',
  requests: Number(row.requests),
  first: toTimestamp(timeInLog(row.first)),
  last: toTimestamp(timeInLog(row.last)),
});
