import { keptLimitedPaths, lateLogMinutes } from '../api/limits.ts';
import type { RequestEvent } from '../api/log-events/request-event.ts';
import type { Decision } from '../api/metrics.ts';

/**
 * Numbers of requests by what they have in common, its parts with a space between them: `getContract allowed`,
 * `getContract limited general`, `getContract refused consent-outdated`; of paths, `getContract general /contract`. So counts of
 * two periods are added name by name.
 */
export type Counts = Readonly<Record<string, number>>;

/** What became of the requests of a company in a period. */
export type Usage = {
  readonly counts: Counts;
  /** Those paths that were limited most. */
  readonly limitedPaths: Counts;
};

/**
 * A day or an hour in UTC, as the times in it begin: `2026-11-25`, `2026-11-25T02`. In between come shorter ones, down to a
 * second, for a log query whose answer would be too long.
 */
export type Period = string;

const dayMs = 86_400_000;
const hourMs = 3_600_000;

type Kind = { readonly ms: number; readonly parts: readonly string[] };

/** How long each kind of period is, by the length of its text, with the digits that the next shorter ones add to it. */
const kinds = {
  10: { ms: dayMs, parts: Array.from({ length: 24 }, (_, hour) => `T${String(hour).padStart(2, '0')}`) },
  13: { ms: hourMs, parts: Array.from({ length: 6 }, (_, tens) => `:${tens}`) },
  15: { ms: 600_000, parts: Array.from({ length: 10 }, (_, minute) => `${minute}`) },
  16: { ms: 60_000, parts: Array.from({ length: 6 }, (_, tens) => `:${tens}`) },
  18: { ms: 10_000, parts: Array.from({ length: 10 }, (_, second) => `${second}`) },
  19: { ms: 1000, parts: [] },
} as const satisfies Readonly<Record<number, Kind>>;

const kindOf = (period: Period): Kind => kinds[period.length as keyof typeof kinds];

/** Any time as far as its period does not say it. */
const beginning = '0000-00-00T00:00:00Z';

export const startMsOf = (period: Period): number => Date.parse(period + beginning.slice(period.length));

export const endMsOf = (period: Period): number => startMsOf(period) + kindOf(period).ms;

/** The next shorter periods that make up one; none if it is a second. */
export const partsOf = (period: Period): Period[] => kindOf(period).parts.map((part) => period + part);

const dayOf = (atMs: number): Period => new Date(atMs).toISOString().slice(0, 10);
const hourOf = (atMs: number): Period => new Date(atMs).toISOString().slice(0, 13);

/** How far the requests are counted, as of the last run that has ended well. */
export type UsageProgress = {
  /** Of what had ended before, nothing is counted. */
  readonly beganMs: number;
  /** Days that ended by then are settled. */
  readonly settledMs: number;
  /** Hours are counted up to then. */
  readonly countedMs: number;
};

/** A line gets into the log when its request has been answered, and into queries of the log a while later. */
const lateLinesMs = lateLogMinutes * 60_000;

/** From then on nobody waits for lines of a day. */
const settledAfterMs = 2 * hourMs;

/** How a stage begins to count, or begins anew from an earlier time: what the log has of the hours before is left out. */
export const progressFrom = (beganMs: number): UsageProgress => ({ beganMs, settledMs: beganMs, countedMs: beganMs });

/** The days that are to be counted as a whole, for good, the oldest first; none that ends before `keptSinceMs`. */
export const daysToSettle = ({ beganMs, settledMs }: UsageProgress, keptSinceMs: number, nowMs: number): Period[] =>
  periodsBetween(dayOf, dayMs, Math.max(beganMs, settledMs, keptSinceMs), nowMs).filter(
    (day) => endMsOf(day) <= nowMs - settledAfterMs,
  );

/** The hours of which there may be more requests than were counted, the oldest first. */
export const hoursToCount = ({ beganMs, settledMs, countedMs }: UsageProgress, nowMs: number): Period[] =>
  periodsBetween(hourOf, hourMs, Math.max(beganMs, settledMs, countedMs - lateLinesMs), nowMs);

/** Those of one kind that end after one time and begin before the other. */
const periodsBetween = (periodOf: (atMs: number) => Period, ms: number, afterMs: number, beforeMs: number) => {
  const periods: Period[] = [];
  for (let atMs = afterMs - (afterMs % ms); atMs < beforeMs; atMs += ms) periods.push(periodOf(atMs));
  return periods;
};

type Field = keyof RequestEvent;

/** A row of an answer of the log, its values by the names of fields: those that the row has. */
export type LogRow = Readonly<Partial<Record<Field | 'requests', string>>>;

const [companyId, operation, decision, reason, ratePolicy, path, timestamp] = [
  ...(['companyId', 'operation', 'decision', 'reason', 'ratePolicy', 'path', 'timestamp'] as const satisfies Field[]),
] as const;

/** The time of a request is its own, not that of its line; a request that did not authenticate is nobody's. */
const requestsIn = (period: Period): string => `filter ispresent(${companyId}) and ${timestamp} like /^${period}/`;

/** What became of the requests of a period, in the language of CloudWatch Logs Insights. */
export const outcomesQuery = (period: Period): string =>
  `${requestsIn(period)}
| stats count(*) as requests by ${companyId}, ${operation}, ${decision}, ${reason}, ${ratePolicy}`;

/** The paths that were limited in a period, the most often limited ones first. */
export const limitedPathsQuery = (period: Period): string =>
  `${requestsIn(period)} and ${decision} = "${'limited' satisfies Decision}"
| stats count(*) as requests by ${companyId}, ${operation}, ${ratePolicy}, ${path}
| sort requests desc`;

/** The names of the counts that rows of `outcomesQuery` add to. */
const outcomeOf = (row: LogRow): string => {
  const detail = row.decision === 'limited' ? row.ratePolicy : row.reason;
  return [row.operation, row.decision, ...(detail === undefined ? [] : [detail])].join(' ');
};

/** The usage of each company by what the log has answered; rows of several answers are added. */
export const usageByCompany = (outcomes: readonly LogRow[], limited: readonly LogRow[]): ReadonlyMap<string, Usage> => {
  const pathsByCompany = Map.groupBy(limited, ({ companyId }) => companyId);
  const found = [...Map.groupBy(outcomes, ({ companyId }) => companyId)].flatMap(([id, rows]) => {
    if (id === undefined) return [];
    const paths = added((pathsByCompany.get(id) ?? []).map((row) => ({ [pathOf(row)]: Number(row.requests) })));
    const counts = added(rows.map((row) => ({ [outcomeOf(row)]: Number(row.requests) })));
    return [[id, { counts, limitedPaths: highest(paths, keptLimitedPaths) }] as const];
  });
  return new Map(found);
};

const pathOf = ({ operation = '', ratePolicy = '', path = '' }: LogRow): string =>
  [operation, ratePolicy, path].join(' ');

/** The sums of counts, name by name. */
export const added = (all: readonly Counts[]): Counts => {
  const sums: Record<string, number> = {};
  for (const counts of all) for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count;
  return sums;
};

/** So many of the counts, the highest first. */
export const highest = (counts: Counts, most: number): Counts =>
  Object.fromEntries(
    Object.entries(counts)
      // By name, and the sort that follows leaves equal ones so.
      .sort()
      .sort(([, one], [, other]) => other - one)
      .slice(0, most),
  );
