import { lateLogMinutes } from '../api/limits.ts';
import { endMsOf, hoursBetween, type Period, startMsOf } from './usage.ts';

/** How far the requests are counted. */
export type UsageProgress = {
  /** Hours that ended by then are counted for good, but for those that have failed. */
  readonly settledMs: number;
  /** Younger hours are counted up to then, but for those that have failed. */
  readonly countedMs: number;
  /** Hours that could not be counted though others could. */
  readonly failed: Readonly<Record<Period, Failure>>;
  /** The ids of companies at which the queries of an hour begin, if one query would not answer with all rows. */
  readonly begins: readonly string[];
  /** The hour at which a run has run out of time. */
  readonly partial?: PartialHour | undefined;
  /** Nothing could be counted. */
  readonly pause?: { readonly runs: number; readonly untilMs: number } | undefined;
};

type Failure = { readonly tries: number; readonly nextMs: number };

/** From this company on the hour is not counted yet; the others were at this time. */
type PartialHour = { readonly hour: Period; readonly from: string; readonly atMs: number };

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** A line gets into the log when its request has been answered, and into queries of the log a while later. */
const lateLinesMs = lateLogMinutes * minuteMs;

/** No line of an hour is on its way any more. */
const settledAfterMs = 2 * hourMs;

/** How a stage begins to count, or begins anew from an earlier time: what the log has of the hours before is left out. */
export const progressFrom = (beganMs: number): UsageProgress => ({
  settledMs: beganMs,
  countedMs: beganMs,
  failed: {},
  begins: [],
});

/** The progress where the log keeps its lines from this time on. */
export const keptProgress = (progress: UsageProgress, keptSinceMs: number): UsageProgress => ({
  ...progress,
  settledMs: Math.max(progress.settledMs, keptSinceMs),
});

/** An hour that is counted now is counted for good. */
export const isSettledAt = (hour: Period, nowMs: number): boolean => endMsOf(hour) + settledAfterMs <= nowMs;

/**
 * The hours that are to be counted, in this order: one that a run has begun; those that may still grow; those that are to be
 * counted for good; and those that have failed and are due again. Of each kind the oldest is first.
 */
export const hoursToCount = ({ settledMs, countedMs, failed, partial }: UsageProgress, nowMs: number): Period[] => {
  const hours = hoursBetween(settledMs, nowMs).filter((hour) => !Object.hasOwn(failed, hour));
  const growing = hours.filter((hour) => !isSettledAt(hour, nowMs) && endMsOf(hour) > countedMs - lateLinesMs);
  const settling = hours.filter((hour) => isSettledAt(hour, nowMs));
  const due = Object.entries(failed).flatMap(([hour, { nextMs }]) => (nextMs <= nowMs ? [hour] : []));
  const all = [...growing, ...settling, ...due.sort()];
  return [...all.filter((hour) => hour === partial?.hour), ...all.filter((hour) => hour !== partial?.hour)];
};

/** An hour was counted by a run of this time, with queries that begin at these companies. */
export const withCounted = (
  progress: UsageProgress,
  hour: Period,
  { nowMs, atMs, begins }: { readonly nowMs: number; readonly atMs: number; readonly begins: readonly string[] },
): UsageProgress => {
  const { [hour]: _, ...failed } = progress.failed;
  return { ...passed(progress, hour, nowMs, atMs), failed, begins, partial: undefined, pause: undefined };
};

/** A failing hour is tried so often, within a day; whatever fails then is left out, so that it is not read again for ever. */
export const maxTries = 8;
const firstWaitMs = 10 * minuteMs;

/** An hour has failed though another one could be counted: it is left aside, each time twice as long. */
export const withFailed = (progress: UsageProgress, hour: Period, nowMs: number): UsageProgress => {
  const { [hour]: before, ...others } = progress.failed;
  const tries = (before?.tries ?? 0) + 1;
  const again = { [hour]: { tries, nextMs: nowMs + firstWaitMs * 2 ** (tries - 1) } };
  const failed = tries < maxTries ? { ...others, ...again } : others;
  return { ...passed(progress, hour, nowMs, nowMs), failed, partial: undefined };
};

/** Later hours may follow. Those before a settled one are settled, too: one that was counted out of turn is counted again. */
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

/** Nothing could be counted: runs pause, each time twice as long, since what CloudWatch has read is paid for all the same. */
export const withPause = (progress: UsageProgress, nowMs: number): UsageProgress => {
  const runs = (progress.pause?.runs ?? 0) + 1;
  const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** (runs - 1));
  return { ...progress, pause: { runs, untilMs: nowMs + pauseMs } };
};

export const isPaused = ({ pause }: UsageProgress, nowMs: number): boolean =>
  pause !== undefined && nowMs < pause.untilMs;

/**
 * Hours that are not settled ended within three hours before the last run, if it had time for all. Two hours after the run
 * before it, there may be some that no run has counted.
 */
const unsettledMs = settledAfterMs + hourMs + 30 * minuteMs;

/** Whether hours wait that no run had time for, or that are to be counted again. */
export const isBehind = ({ settledMs, countedMs }: UsageProgress): boolean => settledMs <= countedMs - unsettledMs;

/** All requests from before are counted, but for lines of the last minutes. */
export const asOfMs = (progress: UsageProgress): number => {
  const { settledMs, countedMs, failed } = progress;
  return Math.min(isBehind(progress) ? settledMs : countedMs, ...Object.keys(failed).map(startMsOf));
};
