import { usageDays, usageRunSeconds } from '../api/limits.ts';
import type { UsageRunEvent } from '../api/log-events/background-events.ts';
import type { EventContent } from '../api/log-events/request-event.ts';
import { findUsageProgress, putUsageProgress } from '../data/usage.ts';
import { toTimestamp } from '../domain/time.ts';
import type { Period } from '../domain/usage.ts';
import {
  asOfMs,
  hoursToCount,
  isBehind,
  isPaused,
  keptProgress,
  progressFrom,
  type UsageProgress,
  withCounted,
  withFailed,
  withPause,
} from '../domain/usage-progress.ts';
import type { FunctionEnvironment } from '../runtime/function-environment.ts';
import { faultFields, writeEvent } from '../runtime/log-lines.ts';
import type { QueryLogPages } from '../runtime/log-queries.ts';
import { countHour, type UsageRun } from './count-hour.ts';

export type UsageEnvironment = FunctionEnvironment & { readonly queryLog: QueryLogPages };

const operation = 'recordUsage';
type Content = EventContent<UsageRunEvent>;

/** A scheduled event has no `since`. In a manual call, `{"since": "2026-11-01"}` counts everything from this time on again. */
export type UsageInput = { readonly since?: string } | undefined;

/**
 * Counts the requests of each company in the log, by outcome and hour. An hour is counted while it grows, and finally when no
 * more of its lines are expected. The job stores totals, and its progress after each hour. It can therefore run any number of
 * times, also concurrently, and can fail at any point: the next run continues. A failed hour does not block others.
 */
export const recordUsage = async (environment: UsageEnvironment, input: UsageInput): Promise<void> => {
  const nowMs = environment.processTimeMs();
  const run = { periods: 0, companies: 0, queries: 0 };
  try {
    await count(environment, nowMs, sinceOf(input, nowMs), run);
    writeEvent(environment, nowMs, { level: 'INFO', operation, ...run } satisfies Content);
  } catch (error) {
    const { cause = error } = error as Error;
    const fault = { ...faultFields(cause), error: String(error) };
    writeEvent(environment, nowMs, { level: 'ERROR', operation, ...run, ...fault } satisfies Content);
    throw error;
  }
};

const sinceOf = (input: UsageInput, nowMs: number): number | undefined => {
  if (input?.since === undefined) return undefined;
  const sinceMs = Date.parse(input.since);
  if (!(sinceMs <= nowMs))
    throw new Error(`Expected since to be a day like "2026-11-01" that has begun, got ${JSON.stringify(input.since)}.`);
  return sinceMs;
};

/** After this many consecutive failures, the cause is not a single hour, and the run ends. */
const failuresInRow = 2;

const count = async (environment: UsageEnvironment, nowMs: number, sinceMs: number | undefined, run: UsageRun) => {
  const { store, queryLog, processTimeMs } = environment;
  let progress = await findProgress(environment, nowMs, sinceMs);
  const keep = async (next: UsageProgress) => {
    progress = next;
    await putUsageProgress(store, progress, nowMs);
  };
  if (sinceMs !== undefined) await keep(progress);
  if (isPaused(progress, nowMs)) throw new UncountedError(progress, undefined);
  const isLate = () => processTimeMs() >= nowMs + usageRunSeconds * 1000;

  let isAnyCounted = false;
  let fault: unknown;
  let failing: Period[] = [];
  const withFailing = () => failing.reduce((all, hour) => withFailed(all, hour, nowMs), progress);
  for (const hour of hoursToCount(progress, nowMs)) {
    if (isLate() || failing.length === failuresInRow) break;
    const counting = { store, queryLog, progress, nowMs, isLate, run };
    const counted = await countHour(hour, counting).catch((error: unknown) => {
      fault ??= error;
      failing.push(hour);
    });
    if (!counted) continue;
    const { next, atMs, begins } = counted;
    const others = withFailing();
    failing = [];
    isAnyCounted = true;
    if (next === undefined) await keep(withCounted(others, hour, { nowMs, atMs, begins }));
    else await keep({ ...others, begins, partial: { hour, from: next, atMs } });
  }
  if (failing.length > 0) await keep(isAnyCounted ? withFailing() : withPause(progress, nowMs));
  if (fault !== undefined || isBehind(progress) || Object.keys(progress.failed).length > 0)
    throw new UncountedError(progress, fault);
};

const dayMs = 86_400_000;

/** Reads the progress, or restarts it at `sinceMs`. Hours whose log lines have expired are skipped. */
const findProgress = async ({ store, setting }: UsageEnvironment, nowMs: number, sinceMs: number | undefined) => {
  const keptDays = Math.min(usageDays, setting('logRetentionDays'));
  const found = await findUsageProgress(store);
  const progress = sinceMs === undefined ? (found ?? progressFrom(nowMs)) : progressFrom(sinceMs);
  return keptProgress(progress, nowMs - keptDays * dayMs);
};

/** Some requests are not counted. A run fails with this error even if it has counted all others, so that an alarm follows. */
class UncountedError extends Error {
  override readonly name = 'UncountedError';

  constructor(progress: UsageProgress, cause: unknown) {
    const hours = Object.keys(progress.failed).sort().join(', ');
    const texts = [
      `Requests are counted up to ${toTimestamp(asOfMs(progress))}.`,
      ...(hours === '' ? [] : [`These hours failed: ${hours}.`]),
      ...(progress.pause ? [`No query runs before ${toTimestamp(progress.pause.untilMs)}.`] : []),
      ...(cause === undefined ? [] : [String(cause)]),
    ];
    super(texts.join(' '), { cause });
  }
}
