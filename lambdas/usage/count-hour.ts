import type { Store } from '../data/store/store.ts';
import { putUsage } from '../data/usage.ts';
import { createTally, endMsOf, type Period, startMsOf, type Tally } from '../domain/usage.ts';
import { isSettledAt, type UsageProgress } from '../domain/usage-progress.ts';
import {
  beginsOf,
  type CompanyRange,
  type CountedRange,
  halvesOf,
  limitedPathsQuery,
  outcomesQuery,
  rangesFrom,
} from '../domain/usage-queries.ts';
import { LogQueryError, maxLogRows, mayBeCutOff, type QueryLogPages } from '../runtime/log-queries.ts';

/** What a run has done so far. */
export type UsageRun = { periods: number; companies: number; queries: number };

type Counting = {
  readonly store: Store;
  readonly queryLog: QueryLogPages;
  readonly progress: UsageProgress;
  readonly nowMs: number;
  readonly isLate: () => boolean;
  readonly run: UsageRun;
};

type CountedHour = {
  /** When the counting of the hour began: lines that appeared in the log after that may be missing. */
  readonly atMs: number;
  /** The first companies of its queries, except for the first query. */
  readonly begins: readonly string[];
  /** The first company that is not counted yet because the run is out of time; undefined if all are counted. */
  readonly next: string | undefined;
};

/** Neighboring ranges with no more rows than this together are merged. */
const fewRows = maxLogRows / 2;

/**
 * Counts an hour, one range of companies after the other. It stores the usage of each range before it queries the next one, so
 * it holds one result at a time. A result that may be truncated is dropped, and its range is split into halves.
 */
export const countHour = async (hour: Period, counting: Counting): Promise<CountedHour> => {
  const { progress, nowMs, isLate, run } = counting;
  const { from, atMs } = progress.partial?.hour === hour ? progress.partial : { from: '', atMs: nowMs };
  const waiting = rangesFrom(from, progress.begins);
  const counted: CountedRange[] = [];
  let { begins } = progress;
  let companies = 0;
  for (let range = waiting.shift(); range; range = waiting.shift()) {
    if (counted.length > 0 && isLate()) return { atMs, begins, next: range.from };
    const { rows, companyIds } = await countRange(hour, range, counting);
    if (rows === undefined) {
      const [first, second] = halvesOf(range, companyIds);
      if (!first || !second)
        throw new LogQueryError(`${companyIds} has more outcomes in ${hour} than an answer has rows.`);
      waiting.unshift(first, second);
      begins = [...begins, second.from].sort();
    } else {
      counted.push({ from: range.from, rows });
      companies += companyIds.length;
    }
  }
  run.periods++;
  run.companies = Math.max(run.companies, companies);
  const isWhole = from === '' && isSettledAt(hour, nowMs);
  return { atMs, begins: isWhole ? beginsOf(counted, fewRows) : begins, next: undefined };
};

/**
 * Stores the usage of a range and returns its number of rows; stores nothing, and returns no number, if it may be truncated.
 */
const countRange = async (hour: Period, range: CompanyRange, counting: Counting) => {
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
