import type { Period } from '../domain/usage.ts';
import { isSettledAt } from '../domain/usage-progress.ts';
import { beginsOf, type CountedRange, halvesOf, rangesFrom } from '../domain/usage-queries.ts';
import { LogQueryError, maxLogRows } from '../runtime/log-queries.ts';
import { type Counting, countRange } from './count-range.ts';

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
