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
import { LogQueryError, maxLogRows, mayBeCutOff, type QueryLogPages } from './log-queries.ts';
import type { Store } from './store/store.ts';
import { putUsage } from './usage.ts';

/** How much a run has done. */
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
  /** When the counting of the hour began: what the log has shown since may be missing. */
  readonly atMs: number;
  /** At which companies its queries begin, but for the first one. */
  readonly begins: readonly string[];
  /** The first company that is not counted yet, because the time of the run is over; undefined if all are. */
  readonly next: string | undefined;
};

/** Ranges whose answers have so few rows together become one. */
const fewRows = maxLogRows / 2;

/**
 * Counts an hour, one range of companies after the other, and puts what it has counted of a range before it asks for the next
 * one: so it never holds more than one answer. An answer that may have been cut off is dropped, and asked for in two halves.
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

/** Puts the usage of the companies of a range, and gives the rows of its answer; none and nothing if it may be cut off. */
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

/** Beyond a page of paths of the companies of a range, those are left out that were limited the fewest times. */
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

/** So many items are put at once: fewer than the client has connections. */
const atOnce = 40;

const putAll = async (hour: Period, tally: Tally, { store, nowMs }: Counting): Promise<void> => {
  let group: Promise<void>[] = [];
  for (const [companyId, usage] of tally.usages()) {
    group.push(putUsage(store, companyId, hour, usage, nowMs));
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
