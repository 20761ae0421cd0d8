import { describe, expect, test } from 'vitest';
import type { HolidayPeriod } from '../../../lambdas/api/schemas/holiday.ts';
import { holidayEndFault, isHolidayMet } from '../../../lambdas/domain/holiday.ts';

const nowMs = Date.parse('2026-12-20T12:00:00Z');
const dayMs = 86_400_000;
const at = (afterMs: number) => new Date(nowMs + afterMs).toISOString();
const roomSetpointCelsius = 16;

describe('a holiday', () => {
  test.each<[string, string, string, boolean]>([
    ['in the future', at(dayMs), at(2 * dayMs), true],
    ['that began long ago', '2020-01-01T00:00:00Z', at(1), true],
    ['that ends now', at(-dayMs), at(0), false],
    ['that ends as it begins', at(dayMs), at(dayMs), false],
    ['that ends before it begins', at(2 * dayMs), at(dayMs), false],
    ['that ends 366 days ahead', at(0), at(366 * dayMs), true],
    ['that ends later', at(0), at(366 * dayMs + 1), false],
  ])('%s, from %s to %s → %s', (_, from, to, isRight) => {
    const fault = holidayEndFault({ from, to, roomSetpointCelsius }, nowMs);
    expect(fault).toBe(isRight ? undefined : 'Expected a time after `from` and after now, and at most 366 days ahead.');
  });
});

describe('a desired holiday is met', () => {
  const desired = { from: at(dayMs), to: at(2 * dayMs), roomSetpointCelsius };

  test.each<[string, HolidayPeriod | null, HolidayPeriod | null, number, boolean]>([
    ['by itself', desired, desired, 0, true],
    ['by one with another spelling of its times', desired, { ...desired, to: '2026-12-22T12:00:00.0Z' }, 0, true],
    ['not by another start', desired, { ...desired, from: at(1) }, 0, false],
    ['not by another end', desired, { ...desired, to: at(3 * dayMs) }, 0, false],
    ['not by another temperature', desired, { ...desired, roomSetpointCelsius: 17 }, 0, false],
    ['not by none', desired, null, 2 * dayMs - 1, false],
    ['by none after its end', desired, null, 2 * dayMs, true],
    ['by none if none is desired', null, null, 0, true],
    ['not by one if none is desired', null, desired, 0, false],
  ])('%s', (_, wanted, reported, afterMs, expected) => {
    expect(isHolidayMet(wanted, reported, nowMs + afterMs)).toBe(expected);
  });
});
