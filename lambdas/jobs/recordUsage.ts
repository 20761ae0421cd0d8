import { usageDays } from '../api/limits.ts';
import type { UsageRunEvent } from '../api/log-events/background-events.ts';
import type { EventContent } from '../api/log-events/request-event.ts';
import { type FunctionEnvironment, functionEnvironment, lambdaHandler } from '../data/function-environment.ts';
import { createLogReader, LogQueryError, maxLogRows, type QueryLog } from '../data/log-queries.ts';
import { findUsageProgress, putUsage, putUsageProgress } from '../data/usage.ts';
import { faultFields, writeEvent } from '../domain/log-events.ts';
import {
  daysToSettle,
  endMsOf,
  hoursToCount,
  type LogRow,
  limitedPathsQuery,
  outcomesQuery,
  type Period,
  partsOf,
  progressFrom,
  startMsOf,
  type UsageProgress,
  usageByCompany,
} from '../domain/usage.ts';

/** What CloudWatch takes until it begins to answer. */
const logTimeouts = { connectionTimeout: 1000, requestTimeout: 10_000 };

const ownEnvironment = {
  ...functionEnvironment(process.env),
  queryLog: createLogReader(process.env, logTimeouts),
};

const operation = 'recordUsage';
type Content = EventContent<UsageRunEvent>;

/** An event of the schedule has no `since`; by hand, all from this time on is counted again: `{"since": "2026-11-01"}`. */
type Input = { readonly since?: string } | undefined;

/**
 * Counts in the log what became of the requests of each company: the hours that may still grow, and each day as a whole when
 * none of its lines is on its way any more. It puts totals, so it may run any number of times, also at once, and may die
 * anywhere: the next run counts all that this one has not.
 */
export const handler = lambdaHandler(ownEnvironment, async (input: Input, environment): Promise<void> => {
  const { processTimeMs } = environment;
  const nowMs = processTimeMs();
  const run = { periods: 0, companies: 0, queries: 0 };
  try {
    await count(environment, nowMs, sinceOf(input), run);
    writeEvent(environment, nowMs, { level: 'INFO', operation, ...run } satisfies Content);
  } catch (error) {
    writeEvent(environment, nowMs, { level: 'ERROR', operation, ...run, ...faultFields(error) } satisfies Content);
    throw error;
  }
});

const sinceOf = (input: Input): number | undefined => {
  if (input?.since === undefined) return undefined;
  const sinceMs = Date.parse(input.since);
  if (Number.isNaN(sinceMs))
    throw new Error(`Expected since to be a day like "2026-11-01", got ${JSON.stringify(input.since)}.`);
  return sinceMs;
};

type Environment = FunctionEnvironment & { readonly queryLog: QueryLog };

/** How much a run has done. */
type Run = { periods: number; companies: number; queries: number };

const dayMs = 86_400_000;

const count = async (environment: Environment, nowMs: number, sinceMs: number | undefined, run: Run) => {
  const { store, setting } = environment;
  // CloudWatch refuses a query of a time of which it has forgotten the lines.
  const keptDays = Math.min(usageDays, setting('logRetentionDays'));
  let progress = sinceMs === undefined ? await findUsageProgress(store) : progressFrom(sinceMs);
  progress ??= progressFrom(nowMs);
  const advance = async (by: Partial<UsageProgress>) => {
    progress = { ...(progress as UsageProgress), ...by };
    await putUsageProgress(store, progress, nowMs);
  };
  for (const day of daysToSettle(progress, nowMs - keptDays * dayMs, nowMs)) {
    await countPeriod(environment, day, nowMs, run);
    await advance({ settledMs: endMsOf(day) });
  }
  for (const hour of hoursToCount(progress, nowMs)) await countPeriod(environment, hour, nowMs, run);
  await advance({ countedMs: nowMs });
};

/** So many items are put at once: fewer than the client has connections. */
const atOnce = 40;

const countPeriod = async ({ store, queryLog }: Environment, period: Period, nowMs: number, run: Run) => {
  const ask = (query: string, asked: Period) => {
    run.queries++;
    return queryLog(query, rangeOf(asked, nowMs)) as Promise<LogRow[]>;
  };
  const outcomes = await wholeAnswer(ask, period);
  // Beyond so many paths of all companies, those are left out that were limited the fewest times.
  const isLimited = outcomes.some(({ decision }) => decision === 'limited');
  const limitedPaths = isLimited ? await ask(limitedPathsQuery(period), period) : [];
  const usage = [...usageByCompany(outcomes, limitedPaths)];
  for (let start = 0; start < usage.length; start += atOnce)
    await Promise.all(
      usage.slice(start, start + atOnce).map(([companyId, each]) => putUsage(store, companyId, period, each, nowMs)),
    );
  run.periods++;
  run.companies = Math.max(run.companies, usage.length);
};

/** All rows about a period: an answer that may have been cut off is asked for in parts, whose counts are added. */
const wholeAnswer = async (
  ask: (query: string, period: Period) => Promise<LogRow[]>,
  period: Period,
): Promise<LogRow[]> => {
  const rows = await ask(outcomesQuery(period), period);
  if (rows.length < maxLogRows) return rows;
  const parts = partsOf(period);
  if (parts.length === 0)
    throw new LogQueryError(`The log has more than ${maxLogRows} outcomes in the second ${period}.`);
  const whole: LogRow[] = [];
  for (const part of parts) whole.push(...(await wholeAnswer(ask, part)));
  return whole;
};

/** A line is written when its request has been answered, and clocks differ. */
const [earlyMs, lateMs] = [60_000, 120_000];

const rangeOf = (period: Period, nowMs: number) => ({
  fromMs: startMsOf(period) - earlyMs,
  toMs: Math.max(startMsOf(period), Math.min(endMsOf(period), nowMs) + lateMs),
});
