import { lateLogMinutes } from '../api/limits.ts';
import { endMsOf, hoursBetween, type Period, startMsOf } from './usage.ts';

/** How far the requests are counted. */
export type UsageProgress = {
  /** Hours that ended by then are final, except for failed ones. */
  readonly settledMs: number;
  /** Later hours are counted up to then, except for failed ones. */
  readonly countedMs: number;
  /** Hours that failed while other hours could be counted. */
  readonly failed: Readonly<Record<Period, Failure>>;
  /** The company ids at which the queries of an hour begin, if one query cannot return all rows. */
  readonly begins: readonly string[];
  /** The hour that a run could not finish in time. */
  readonly partial?: PartialHour | undefined;
  /** Set while no hour can be counted. */
  readonly pause?: { readonly runs: number; readonly untilMs: number } | undefined;
};

type Failure = { readonly tries: number; readonly nextMs: number };

/** Companies from `from` on are not counted yet; the counting of the others began at `atMs`. */
type PartialHour = { readonly hour: Period; readonly from: string; readonly atMs: number };

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** A request's line is logged after the response, and queries find it a while later. */
const lateLinesMs = lateLogMinutes * minuteMs;

/** After this time, no more log lines of an hour are expected. */
const settledAfterMs = 2 * hourMs;

/** Returns the progress of a stage that begins to count, or begins again, at this time: earlier hours are not counted. */
export const progressFrom = (beganMs: number): UsageProgress => ({
  settledMs: beganMs,
  countedMs: beganMs,
  failed: {},
  begins: [],
});

/** Skips hours whose log lines have expired. */
export const keptProgress = (progress: UsageProgress, keptSinceMs: number): UsageProgress => ({
  ...progress,
  settledMs: Math.max(progress.settledMs, keptSinceMs),
});

/** Whether a count of the hour is final at this time. */
export const isSettledAt = (hour: Period, nowMs: number): boolean => endMsOf(hour) + settledAfterMs <= nowMs;

/**
 * Returns the hours to count, in this order: a partially counted hour, hours that may still grow, hours whose count becomes
 * final, and failed hours that are due for a retry. Each group is ordered oldest first.
 */
export const hoursToCount = ({ settledMs, countedMs, failed, partial }: UsageProgress, nowMs: number): Period[] => {
  const hours = hoursBetween(settledMs, nowMs).filter((hour) => !Object.hasOwn(failed, hour));
  const growing = hours.filter((hour) => !isSettledAt(hour, nowMs) && endMsOf(hour) > countedMs - lateLinesMs);
  const settling = hours.filter((hour) => isSettledAt(hour, nowMs));
  const due = Object.entries(failed).flatMap(([hour, { nextMs }]) => (nextMs <= nowMs ? [hour] : []));
  const all = [...growing, ...settling, ...due.sort()];
  return [...all.filter((hour) => hour === partial?.hour), ...all.filter((hour) => hour !== partial?.hour)];
};

/** Returns the progress after a run has counted an hour, with the companies at which its queries begin. */
export const withCounted = (
  progress: UsageProgress,
  hour: Period,
  { nowMs, atMs, begins }: { readonly nowMs: number; readonly atMs: number; readonly begins: readonly string[] },
): UsageProgress => {
  const { [hour]: _, ...failed } = progress.failed;
  return { ...passed(progress, hour, nowMs, atMs), failed, begins, partial: undefined, pause: undefined };
};

/** The number of attempts for an hour, within a day. After that the hour is skipped, so that it is not queried forever. */
const maxCountAttempts = 8;
const firstWaitMs = 10 * minuteMs;

/** Returns the progress after an hour failed while another one was counted: its retry waits twice as long each time. */
export const withFailed = (progress: UsageProgress, hour: Period, nowMs: number): UsageProgress => {
  const { [hour]: before, ...others } = progress.failed;
  const tries = (before?.tries ?? 0) + 1;
  const again = { [hour]: { tries, nextMs: nowMs + firstWaitMs * 2 ** (tries - 1) } };
  const failed = tries < maxCountAttempts ? { ...others, ...again } : others;
  return { ...passed(progress, hour, nowMs, nowMs), failed, partial: undefined };
};

/** Moves on to later hours. Settled hours are contiguous: an hour that was counted out of order is counted again. */
const passed = (progress: UsageProgress, hour: Period, nowMs: number, atMs: number): UsageProgress => {
  const { settledMs, countedMs } = progress;
  const isNext = isSettledAt(hour, nowMs) && startMsOf(hour) <= settledMs;
  return {
    ...progress,
    settledMs: isNext ? Math.max(settledMs, endMsOf(hour)) : settledMs,
    countedMs: Math.max(countedMs, Math.min(endMsOf(hour), atMs)),
  };
};

const firstPauseMs = 5 * minuteMs;
const longestPauseMs = hourMs;

/** Returns the progress after no hour could be counted: runs pause, twice as long each time, since failed queries cost, too. */
export const withPause = (progress: UsageProgress, nowMs: number): UsageProgress => {
  const runs = (progress.pause?.runs ?? 0) + 1;
  const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** (runs - 1));
  return { ...progress, pause: { runs, untilMs: nowMs + pauseMs } };
};

export const isPaused = ({ pause }: UsageProgress, nowMs: number): boolean =>
  pause !== undefined && nowMs < pause.untilMs;

/**
 * If the last run had time for all hours, unsettled hours ended within the three hours before it. Beyond this age, there may be
 * hours that no run has counted.
 */
const unsettledMs = settledAfterMs + hourMs + 30 * minuteMs;

/** Whether hours are waiting because no run had time for them, or because they are counted again. */
export const isBehind = ({ settledMs, countedMs }: UsageProgress): boolean => settledMs <= countedMs - unsettledMs;

/** Returns the time up to which all requests are counted, except for log lines of the last minutes. */
export const asOfMs = (progress: UsageProgress): number => {
  const { settledMs, countedMs, failed } = progress;
  return Math.min(isBehind(progress) ? settledMs : countedMs, ...Object.keys(failed).map(startMsOf));
};
