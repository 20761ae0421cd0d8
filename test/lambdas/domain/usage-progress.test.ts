import { describe, expect, test } from 'vitest';
import { lateLogMinutes } from '../../../lambdas/api/limits.ts';
import {
  asOfMs,
  hoursToCount,
  isBehind,
  isPaused,
  isSettledAt,
  keptProgress,
  progressFrom,
  type UsageProgress,
  withCounted,
  withFailed,
  withPause,
} from '../../../lambdas/domain/usage-progress.ts';

const at = (time: string) => Date.parse(`2026-11-${time}Z`);
const hour = (time: string) => `2026-11-${time}`;
const minuteMs = 60_000;

const progressOf = (changes: Partial<UsageProgress>): UsageProgress => ({
  ...progressFrom(at('25T07:00:00')),
  ...changes,
});

/** The hours to count, without what they have in common. */
const hoursAt = (changes: Partial<UsageProgress>, now: string) =>
  hoursToCount(progressOf(changes), at(now)).map((each) => each.slice('2026-11-'.length));

describe('the hours to count', () => {
  const lateMs = lateLogMinutes * minuteMs;

  test('include hours that have begun, and hours whose lines may be late', () => {
    const settledMs = at('25T07:00:00');
    expect(hoursAt({ settledMs, countedMs: at('25T08:00:00') + lateMs }, '25T09:30:00')).toEqual(['25T08', '25T09']);
    expect(hoursAt({ settledMs, countedMs: at('25T08:00:00') + lateMs - 1 }, '25T09:30:00')).toEqual([
      '25T07',
      '25T08',
      '25T09',
    ]);
  });

  test('include hours that ended two hours ago and are not final, after the others', () => {
    const counted = { settledMs: at('25T07:00:00'), countedMs: at('25T09:55:00') };
    expect(hoursAt(counted, '25T09:59:59.999')).toEqual(['25T09']);
    expect(hoursAt(counted, '25T10:00:00')).toEqual(['25T09', '25T07']);
    expect(hoursAt({ ...counted, settledMs: at('25T08:00:00') }, '25T10:00:00')).toEqual(['25T09']);
  });

  test('after a long interruption, begin with the last hours; the others follow, oldest first', () => {
    expect(hoursAt({}, '25T12:30:00')).toEqual(['25T10', '25T11', '25T12', '25T07', '25T08', '25T09']);
  });

  test('exclude hours before the counting began, and hours whose log lines have expired', () => {
    expect(hoursAt(progressFrom(at('25T08:30:00')), '25T09:30:00')).toEqual(['25T08', '25T09']);
    expect(hoursAt(keptProgress(progressOf({}), at('25T08:30:00')), '25T09:30:00')).toEqual(['25T08', '25T09']);
    expect(keptProgress(progressOf({}), at('01T00:00:00'))).toEqual(progressOf({}));
  });

  test('exclude failed hours until their retry is due; those come last, oldest first', () => {
    const failed = {
      [hour('25T09')]: { tries: 1, nextMs: at('25T09:40:00') },
      [hour('24T03')]: { tries: 2, nextMs: at('25T09:40:00') },
      [hour('24T02')]: { tries: 2, nextMs: at('25T09:40:00') },
    };
    const counted = { settledMs: at('25T08:00:00'), countedMs: at('25T08:30:00'), failed };
    expect(hoursAt(counted, '25T09:39:59.999')).toEqual(['25T08']);
    expect(hoursAt(counted, '25T09:40:00')).toEqual(['25T08', '24T02', '24T03', '25T09']);
  });

  test('begin with a partially counted hour', () => {
    const partial = { hour: hour('25T08'), from: 'm', atMs: 0 };
    expect(hoursAt({ partial }, '25T12:30:00')[0]).toBe('25T08');
    expect(hoursAt({ partial }, '25T12:30:00')).toHaveLength(6);
  });
});

test('an hour is settled two hours after its end', () => {
  expect(isSettledAt(hour('25T08'), at('25T11:00:00'))).toBe(true);
  expect(isSettledAt(hour('25T08'), at('25T10:59:59.999'))).toBe(false);
});

describe('an hour that was counted', () => {
  const counted = (progress: UsageProgress, name: string, now: string, atTime = now) =>
    withCounted(progress, hour(name), { nowMs: at(now), atMs: at(atTime), begins: ['m'] });

  test('is counted up to now, or to its end, and never less', () => {
    expect(counted(progressOf({}), '25T07', '25T07:30:00').countedMs).toBe(at('25T07:30:00'));
    expect(counted(progressOf({}), '25T07', '25T08:02:00').countedMs).toBe(at('25T08:00:00'));
    expect(counted(progressOf({ countedMs: at('25T09:00:00') }), '25T07', '25T08:02:00').countedMs).toBe(
      at('25T09:00:00'),
    );
    // It was begun by a run before.
    expect(counted(progressOf({}), '25T07', '25T07:30:00', '25T07:15:00').countedMs).toBe(at('25T07:15:00'));
  });

  test('is settled if it ended two hours ago and all before it are', () => {
    expect(counted(progressOf({}), '25T07', '25T10:00:00').settledMs).toBe(at('25T08:00:00'));
    expect(counted(progressOf({}), '25T07', '25T09:59:59.999').settledMs).toBe(at('25T07:00:00'));
    expect(counted(progressOf({}), '25T08', '25T12:00:00').settledMs).toBe(at('25T07:00:00'));
    expect(counted(progressOf({ settledMs: at('25T07:30:00') }), '25T07', '25T12:00:00').settledMs).toBe(
      at('25T08:00:00'),
    );
    expect(counted(progressOf({ settledMs: at('25T11:00:00') }), '25T07', '25T14:00:00').settledMs).toBe(
      at('25T11:00:00'),
    );
  });

  test('is no longer failed or partial, and ends a pause', () => {
    const before = progressOf({
      failed: { [hour('25T07')]: { tries: 1, nextMs: 0 }, [hour('25T03')]: { tries: 2, nextMs: 1 } },
      partial: { hour: hour('25T07'), from: 'm', atMs: 0 },
      pause: { runs: 1, untilMs: 0 },
    });
    expect(counted(before, '25T07', '25T08:02:00')).toMatchObject({
      failed: { [hour('25T03')]: { tries: 2, nextMs: 1 } },
      begins: ['m'],
      partial: undefined,
      pause: undefined,
    });
    expect(Object.keys(counted(before, '25T07', '25T08:02:00').failed)).toEqual([hour('25T03')]);
  });
});

describe('an hour that has failed while others have not', () => {
  const nowMs = at('25T10:00:00');

  test('is retried after 10 minutes, then after twice as long each time, with eight attempts in all', () => {
    let progress = progressOf({ failed: { [hour('24T03')]: { tries: 1, nextMs: 5 } } });
    const waits: (number | undefined)[] = [];
    for (let tries = 1; tries <= 8; tries++) {
      progress = withFailed(progress, hour('25T07'), nowMs);
      const failure = progress.failed[hour('25T07')];
      waits.push(failure && (failure.nextMs - nowMs) / minuteMs);
    }
    expect(waits).toEqual([10, 20, 40, 80, 160, 320, 640, undefined]);
    expect(progress.failed).toEqual({ [hour('24T03')]: { tries: 1, nextMs: 5 } });
  });

  test('does not block later hours', () => {
    const partial = { hour: hour('25T07'), from: 'm', atMs: 0 };
    expect(withFailed(progressOf({ partial }), hour('25T07'), nowMs)).toMatchObject({
      settledMs: at('25T08:00:00'),
      countedMs: at('25T08:00:00'),
      partial: undefined,
    });
  });
});

test('runs pause for 5 minutes if no hour can be counted, then for twice as long each time, up to an hour', () => {
  const nowMs = at('25T10:00:00');
  let progress = progressOf({});
  expect(isPaused(progress, nowMs)).toBe(false);
  const pauses = Array.from({ length: 6 }, () => {
    progress = withPause(progress, nowMs);
    return ((progress.pause?.untilMs ?? 0) - nowMs) / minuteMs;
  });
  expect(pauses).toEqual([5, 10, 20, 40, 60, 60]);
  const untilMs = progress.pause?.untilMs ?? 0;
  expect([isPaused(progress, untilMs - 1), isPaused(progress, untilMs)]).toEqual([true, false]);
});

describe('all is counted', () => {
  const counted = (changes: Partial<UsageProgress>) => progressOf({ countedMs: at('25T10:30:00'), ...changes });

  test('up to the last run', () => {
    const progress = counted({ settledMs: at('25T07:00:00') + 1 });
    expect([isBehind(progress), asOfMs(progress)]).toEqual([false, at('25T10:30:00')]);
  });

  test('up to the hours for which no run had time', () => {
    const progress = counted({ settledMs: at('25T07:00:00') });
    expect([isBehind(progress), asOfMs(progress)]).toEqual([true, at('25T07:00:00')]);
  });

  test('up to the first hour that has failed', () => {
    const failed = { [hour('25T09')]: { tries: 1, nextMs: 0 }, [hour('25T08')]: { tries: 1, nextMs: 0 } };
    expect(asOfMs(counted({ settledMs: at('25T08:00:00'), failed }))).toBe(at('25T08:00:00'));
  });
});
