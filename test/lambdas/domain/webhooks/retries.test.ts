import { describe, expect, test } from 'vitest';
import {
  longestRetryAfterMs,
  maxAttemptsOfPoke,
  nextAttemptMs,
  retryAfterMsOf,
} from '../../../../lambdas/domain/poke.ts';

const minute = 60_000;
const hour = 60 * minute;
const startMs = Date.parse('2026-11-21T10:00:00Z');

/** The times of all attempts of a webhook that never answers well, each after so long. */
const attemptsWith = (random: () => number, lateMs = 0): number[] => {
  const attempts = [startMs];
  for (;;) {
    const nowMs = attempts.at(-1) as number;
    const next = nextAttemptMs({ failures: attempts.length, failedSinceMs: startMs, nowMs, random: random() });
    if (next === undefined) return attempts;
    attempts.push(next + lateMs);
  }
};
const waitsOf = (attempts: readonly number[]) => attempts.slice(1).map((at, index) => at - (attempts[index] as number));

describe('a webhook that is down', () => {
  test('is tried after 5 s, 1 min, 5 min, 30 min and 1 h, then every 3 h, 29 times within 72 h', () => {
    const attempts = attemptsWith(() => 0.5);
    expect(attempts).toHaveLength(29);
    expect(maxAttemptsOfPoke).toBe(29);
    expect(waitsOf(attempts).slice(0, 5)).toEqual([5000, minute, 5 * minute, 30 * minute, hour]);
    expect(new Set(waitsOf(attempts).slice(5))).toEqual(new Set([3 * hour]));
  });

  test.each([0, 0.25, 0.999_999])('is tried as often with any jitter, which is 10 %% at most: %d', (random) => {
    const attempts = attemptsWith(() => random);
    expect(attempts).toHaveLength(29);
    expect((attempts.at(-1) as number) - startMs).toBeLessThanOrEqual(72 * hour);
  });

  test('is tried as often if the jitter changes each time', () => {
    let turn = 0;
    const attempts = attemptsWith(() => (turn++ % 2 === 0 ? 0 : 0.999_999));
    expect(attempts).toHaveLength(29);
    const waits = waitsOf(attempts).slice(6);
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(2.4 * hour);
    expect(Math.max(...waits)).toBeLessThanOrEqual(3.6 * hour);
  });

  test('keeps to its plan to the millisecond in its first attempts; later ones are up to 18 minutes early or late', () => {
    const offsets = attemptsWith(() => 0.5).map((at) => at - startMs);
    const next = (failures: number, random: number, nowMs = startMs) =>
      (nextAttemptMs({ failures, failedSinceMs: startMs, nowMs, random }) as number) - startMs;
    for (const failures of [1, 2, 3, 4, 5]) expect(next(failures, 0)).toBe(offsets[failures]);
    const [first = 0, second = 0] = offsets.slice(6);
    expect([next(6, 0), next(7, 0)]).toEqual([first - 18 * minute, second - 18 * minute]);
    expect(next(6, 1)).toBe(first + 18 * minute);
    // Three quarters of a millisecond.
    expect(next(6, 0.5 + 0.75 / (36 * minute))).toBe(first + 1);
  });

  test('is tried at once if jitter puts the next attempt into the past, and never twice at one time', () => {
    const offsets = attemptsWith(() => 0.5).map((at) => at - startMs);
    const failing = { failures: 1, failedSinceMs: startMs, random: 0 };
    const nowMs = startMs + (offsets[6] as number) - 1;
    expect(nextAttemptMs({ ...failing, nowMs })).toBe(nowMs);
    expect(nextAttemptMs({ ...failing, nowMs: startMs + 5000 })).toBe(startMs + 5000 + minute);
  });

  test('is not tried in a burst after the service itself was down: attempts that are past are left out', () => {
    const nowMs = startMs + 10 * hour;
    const next = nextAttemptMs({ failures: 2, failedSinceMs: startMs, nowMs, random: 0.5 });
    expect(next).toBe(startMs + 5000 + 96 * minute + 9 * hour);
    expect(attemptsWith(() => 0.5, 4 * hour).length).toBeLessThan(29);
  });

  test('is given up when its time is over, however few attempts there were', () => {
    const nowMs = startMs + 72 * hour;
    expect(nextAttemptMs({ failures: 2, failedSinceMs: startMs, nowMs, random: 0.5 })).toBeUndefined();
  });
});

describe('Retry-After', () => {
  const next = (retryAfterMs: number) =>
    (nextAttemptMs({ failures: 1, failedSinceMs: startMs, nowMs: startMs, retryAfterMs, random: 0.5 }) ?? 0) - startMs;

  test('puts an attempt off up to an hour, and brings none forward', () => {
    expect([0, 1000, minute, hour, 2 * hour].map(next)).toEqual([5000, 5000, minute, hour, longestRetryAfterMs]);
  });

  test.each([
    ['120', 120_000],
    ['0', 0],
    ['Sat, 21 Nov 2026 10:02:00 GMT', 2 * minute],
    ['Sat, 21 Nov 2026 09:00:00 GMT', 0],
    ['at Sat, 21 Nov 2026 10:02:00 GMT', undefined],
    ['999999999', 999_999_999_000],
    ['1000000000', undefined],
    ['soon', undefined],
    ['-5', undefined],
    ['1e9', undefined],
    ['99999999999999999999', undefined],
    ['2026', 2026_000],
    ['', undefined],
    [undefined, undefined],
  ])('%s is read as %s ms', (header, expected) => {
    expect(retryAfterMsOf(header, startMs)).toBe(expected);
  });
});
