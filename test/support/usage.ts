import { createCloudWatch } from 'serve-stack/cloudwatch';
import * as z from 'zod/mini';
import { usageRunEvent } from '../../lambdas/api/log-events/background-events.ts';
import type { RequestEvent } from '../../lambdas/api/log-events/request-event.ts';
import type { QueryLog } from '../../lambdas/data/log-queries.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { handler } from '../../lambdas/jobs/recordUsage.ts';
import { theWorld } from './world.ts';

/** A line of the log of requests, as far as a count reads it, and when queries begin to see it. */
export type RequestLine = Pick<RequestEvent, 'timestamp' | 'operation' | 'decision'> &
  Partial<Pick<RequestEvent, 'companyId' | 'reason' | 'ratePolicy' | 'path'>> & { readonly seenAtMs?: number };

const group = 'requests';

/** A log of requests with a clock, which answers queries as CloudWatch Logs does. */
export const createRequestLog = (lines: readonly RequestLine[]) => {
  const cloudWatch = createCloudWatch({
    template: { Resources: {} } as never,
    resolve: ((value: unknown) => value) as never,
  });
  const waiting = lines
    .map(({ seenAtMs, ...line }) => ({ seenAtMs: seenAtMs ?? Date.parse(line.timestamp), line }))
    .toSorted((one, other) => one.seenAtMs - other.seenAtMs);
  const asked: string[] = [];
  let shown = 0;
  return {
    /** The queries that were asked. */
    asked,
    showUntil: (nowMs: number) => {
      for (; shown < waiting.length && (waiting[shown]?.seenAtMs ?? 0) <= nowMs; shown++) {
        const { line } = waiting[shown] as (typeof waiting)[number];
        // A line is written when its request was answered.
        const atMs = Date.parse(line.timestamp) + 200;
        cloudWatch.putLogEvent({ logGroup: group, atMs, message: JSON.stringify(line) });
      }
    },
    query: (async (query, { fromMs, toMs }) => {
      asked.push(query);
      const { columns, rows } = cloudWatch.queryLogs(query, [group], { fromMs, toMs: toMs + 1000 });
      return rows.map((row) =>
        Object.fromEntries(
          columns.flatMap((column, index) => (row[index] === '' ? [] : [[column, row[index] as string]])),
        ),
      );
    }) satisfies QueryLog,
  };
};

type Log = ReturnType<typeof createRequestLog>;

type RunOptions = {
  readonly input?: { readonly since: string };
  readonly store?: Store;
  readonly query?: QueryLog;
  readonly logRetentionDays?: number;
};

/** Runs the job that counts requests at a time, and gives its line; throws what it throws. */
export const recordUsageAt = async (log: Log, nowMs: number, options: RunOptions = {}) => {
  const { environment } = theWorld();
  const { input, store = environment.store, query = log.query, logRetentionDays = 90 } = options;
  const lines: string[] = [];
  log.showUntil(nowMs);
  await handler.withEnvironment({
    ...environment,
    store,
    processTimeMs: () => nowMs,
    log: (line) => void lines.push(line),
    setting: (name) => (name === 'logRetentionDays' ? logRetentionDays : environment.setting(name)) as never,
    queryLog: query,
  })(input, undefined);
  return z.parse(usageRunEvent, JSON.parse(lines[0] as string));
};
