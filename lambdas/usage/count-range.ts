import type { Store } from '../data/store/store.ts';
import { putUsage } from '../data/usage.ts';
import { createTally, endMsOf, type Period, startMsOf, type Tally } from '../domain/usage.ts';
import type { UsageProgress } from '../domain/usage-progress.ts';
import { type CompanyRange, limitedPathsQuery, outcomesQuery } from '../domain/usage-queries.ts';
import { mayBeCutOff, type QueryLogPages } from '../runtime/log-queries.ts';

/** What a run has done so far. */
export type UsageRun = { periods: number; companies: number; queries: number };

export type Counting = {
  readonly store: Store;
  readonly queryLog: QueryLogPages;
  readonly progress: UsageProgress;
  readonly nowMs: number;
  readonly isLate: () => boolean;
  readonly run: UsageRun;
};

/**
 * Stores the usage of a range and returns its number of rows; stores nothing, and returns no number, if it may be truncated.
 */
export const countRange = async (hour: Period, range: CompanyRange, counting: Counting) => {
  const { nowMs, queryLog, run } = counting;
  const tally = createTally();
  let rows = 0;
  let isLimited = false;
  run.queries++;
  for await (const page of queryLog(outcomesQuery(hour, range), rangeOf(hour, nowMs))) {
    for (const row of page) {
      tally.addOutcome(row);
      isLimited ||= row.decision === 'limited';
    }
    rows += page.length;
  }
  const companyIds = tally.companyIds();
  if (mayBeCutOff(rows)) return { rows: undefined, companyIds };
  if (isLimited) await countLimitedPaths(hour, range, tally, counting);
  await putAll(hour, tally, counting);
  return { rows, companyIds };
};

/** Reads one page: if a range has more paths, those that were limited least are left out. */
const countLimitedPaths = async (
  hour: Period,
  range: CompanyRange,
  tally: Tally,
  { nowMs, queryLog, run }: Counting,
) => {
  run.queries++;
  for await (const page of queryLog(limitedPathsQuery(hour, range), rangeOf(hour, nowMs))) {
    for (const row of page) tally.addLimitedPath(row);
    return;
  }
};

/** The number of concurrent writes: fewer than the client has connections. */
const atOnce = 40;

const putAll = async (hour: Period, tally: Tally, { store, nowMs }: Counting): Promise<void> => {
  let group: Promise<void>[] = [];
  for (const [companyId, usage] of tally.usages()) {
    group.push(putUsage(store, companyId, { hour, usage }, nowMs));
    if (group.length < atOnce) continue;
    await Promise.all(group);
    group = [];
  }
  await Promise.all(group);
};

/** A line is written when its request has been answered, and clocks differ. */
const [earlyMs, lateMs] = [60_000, 120_000];

const rangeOf = (hour: Period, nowMs: number) => ({
  fromMs: startMsOf(hour) - earlyMs,
  toMs: Math.max(startMsOf(hour), Math.min(endMsOf(hour), nowMs) + lateMs),
});
