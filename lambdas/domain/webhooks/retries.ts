const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** Nobody is sent pokes more often. */
export const pokeSpacingMs = second;

/** For so long a webhook is tried that never answers well. */
export const givenUpAfterMs = 72 * hour;

/** A `Retry-After` holds up to here. */
export const longestRetryAfterMs = hour;

const firstWaits = [5 * second, minute, 5 * minute, 30 * minute, hour];
const laterWait = 3 * hour;
const jitterShare = 0.1;

/** When each attempt after the first is due, counted from the first failure, before jitter: all that fit into the time. */
export const retryOffsetsMs: readonly number[] = (() => {
  const offsets: number[] = [];
  for (let at = firstWaits[0] as number; at <= givenUpAfterMs; at += firstWaits[offsets.length] ?? laterWait)
    offsets.push(at);
  return offsets;
})();

export const maxAttemptsOfPoke = retryOffsetsMs.length + 1;

export type Failing = {
  /** The attempts that have failed in a row, at least one. */
  readonly failures: number;
  readonly failedSinceMs: number;
  readonly nowMs: number;
  /** How long the receiver has asked to wait. */
  readonly retryAfterMs?: number | undefined;
  /** From 0 to less than 1. */
  readonly random: number;
};

/**
 * When to try again, or undefined if the webhook is to be given up. Attempts keep to their plan from the first failure on, so
 * that jitter does not add up; one that came late, since the service was down, leaves out those that are past.
 */
export const nextAttemptMs = ({
  failures,
  failedSinceMs,
  nowMs,
  retryAfterMs = 0,
  random,
}: Failing): number | undefined => {
  const elapsedMs = nowMs - failedSinceMs;
  const index = retryOffsetsMs.findIndex((offset, each) => each >= failures - 1 && offset > elapsedMs);
  const offset = retryOffsetsMs[index];
  if (offset === undefined) return undefined;
  const jitterMs = index < firstWaits.length ? 0 : Math.round((2 * random - 1) * jitterShare * laterWait);
  const plannedMs = failedSinceMs + offset + jitterMs;
  return Math.max(plannedMs, nowMs + Math.min(retryAfterMs, longestRetryAfterMs));
};

/** How long a `Retry-After` asks to wait, in seconds or until a date; undefined if it says neither. */
export const retryAfterMsOf = (header: string | undefined, nowMs: number): number | undefined => {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * second;
  const atMs = /^[A-Z][a-z]{2}, /.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
};
