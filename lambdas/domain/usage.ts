import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { keptKeyCounts, keptLimitedPaths } from '../api/limits.ts';
import type { RequestEvent } from '../api/log-events/request-event.ts';

/**
 * Numbers of requests by name. The parts of a name have a space between them: `getContract allowed`,
 * `getContract limited general`, `getContract refused consent-outdated`; for paths, `getContract general /contract`; for keys,
 * `f3QnT7wLx0RkVb2Z allowed`. Counts of two periods are added name by name.
 */
export type Counts = Readonly<Record<string, number>>;

/** The outcomes of a company's requests in a period. */
export type Usage = {
  readonly counts: Counts;
  /** The paths that were limited most often. */
  readonly limitedPaths: Counts;
  /** By key and decision; absent in the usage of a day. */
  readonly keys?: Counts;
};

/** An hour or a day in UTC, as the prefix of its timestamps: `2026-11-25T02`, `2026-11-25`. */
export type Period = string;

const hourMs = 3_600_000;

export const startMsOf = (hour: Period): number => Date.parse(`${hour}:00:00Z`);

export const endMsOf = (hour: Period): number => startMsOf(hour) + hourMs;

export const hourOf = (atMs: number): Period => new Date(atMs).toISOString().slice(0, '2026-11-25T02'.length);

export const dayOf = (period: Period): string => period.slice(0, '2026-11-25'.length);

export const isHour = (period: Period): boolean => period.length > dayOf(period).length;

/** Returns the hours that end after one time and begin before the other, oldest first. */
export const hoursBetween = (afterMs: number, beforeMs: number): Period[] => {
  const hours: Period[] = [];
  for (let atMs = afterMs - (afterMs % hourMs); atMs < beforeMs; atMs += hourMs) hours.push(hourOf(atMs));
  return hours;
};

/** A row of a query result: its values by the names of their fields. Fields without a value are absent. */
type LogRow = Readonly<Partial<Record<keyof RequestEvent | 'requests', string>>>;

type Sums = Record<string, number>;
type TalliedUsage = { readonly counts: Sums; readonly limitedPaths: Sums; readonly keys: Sums };

/** Adds up rows of query results as they arrive, without keeping them. */
export const createTally = () => {
  const companies = new Map<string, TalliedUsage>();
  const usageOf = (companyId: string): TalliedUsage => {
    const found = companies.get(companyId) ?? { counts: {}, limitedPaths: {}, keys: {} };
    companies.set(companyId, found);
    return found;
  };
  return {
    /** Adds a row of `outcomesQuery`. */
    addOutcome: (row: LogRow): void => {
      const { companyId, keyId, operation, decision, requests } = row;
      if (companyId === undefined) return;
      const { counts, keys } = usageOf(companyId);
      const detail = decision === 'limited' ? row.ratePolicy : row.reason;
      add(counts, [operation, decision, ...(detail === undefined ? [] : [detail])].join(' '), Number(requests));
      if (keyId !== undefined) add(keys, `${keyId} ${decision}`, Number(requests));
    },
    /** Adds a row of `limitedPathsQuery`. */
    addLimitedPath: ({ companyId, operation, ratePolicy, path, requests }: LogRow): void => {
      if (companyId !== undefined)
        add(usageOf(companyId).limitedPaths, [operation, ratePolicy, path].join(' '), Number(requests));
    },
    companyIds: (): string[] => [...companies.keys()].sort(),
    /** The usage of each company, reduced to what is kept per hour. */
    usages: function* (): Iterable<readonly [companyId: string, usage: Usage]> {
      for (const [companyId, { counts, limitedPaths, keys }] of companies)
        yield [
          companyId,
          { counts, limitedPaths: topCounts(limitedPaths, keptLimitedPaths), keys: topCounts(keys, keptKeyCounts) },
        ];
    },
  };
};

export type Tally = ReturnType<typeof createTally>;

const add = (sums: Sums, name: string, requests: number): void => {
  sums[name] = (sums[name] ?? 0) + requests;
};

/**
 * Compresses usage for storage. Names repeat, so this takes a sixth of the size: reading a month of hours costs as much as a
 * month of uncompressed days.
 */
export const packUsage = (usage: Usage): Uint8Array => deflateRawSync(JSON.stringify(usage));

export const unpackUsage = (packed: Uint8Array): Usage => JSON.parse(inflateRawSync(packed).toString());

/** Returns the usage of each day, as the sum of its hours. */
export const usageByDay = (usages: ReadonlyMap<Period, Usage>): ReadonlyMap<string, Usage> => {
  const byDay = Map.groupBy(usages, ([period]) => dayOf(period));
  return new Map([...byDay].map(([day, ofDay]) => [day, sumOf(ofDay.map(([, usage]) => usage))]));
};

const sumOf = (usages: readonly Usage[]): Usage => ({
  counts: sumOfCounts(usages.map(({ counts }) => counts)),
  limitedPaths: sumOfCounts(usages.map(({ limitedPaths }) => limitedPaths)),
});

/** Returns the sums of counts, name by name. */
export const sumOfCounts = (all: readonly Counts[]): Counts => {
  const sums: Sums = {};
  for (const counts of all) for (const [name, count] of Object.entries(counts)) add(sums, name, count);
  return sums;
};

/** Returns at most this number of counts, the highest first. */
export const topCounts = (counts: Counts, most: number): Counts =>
  Object.fromEntries(
    Object.entries(counts)
      // By name: the stable sort that follows keeps the order of equal counts.
      .sort()
      .sort(([, one], [, other]) => other - one)
      .slice(0, most),
  );
