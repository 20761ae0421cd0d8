import { describe, expect, test } from 'vitest';
import type { Override } from '../../../lambdas/api/schemas/override.ts';
import {
  isOverrideMet,
  overrideEndFault,
  reportedOverride,
  requestedOverride,
  sinceOfSameOverride,
} from '../../../lambdas/domain/override.ts';

const nowMs = Date.parse('2026-11-20T18:00:00Z');
const dayMs = 86_400_000;
const at = (afterMs: number) => new Date(nowMs + afterMs).toISOString();

describe('the end of an override', () => {
  test.each<[string, string, boolean]>([
    ['the next switch point', 'next-switch-point', true],
    ['a moment after now', at(1), true],
    ['now', at(0), false],
    ['a moment ago', at(-1), false],
    ['seven days ahead', at(7 * dayMs), true],
    ['more than seven days ahead', at(7 * dayMs + 1), false],
  ])('%s: %s → %s', (_, until, isRight) => {
    const fault = overrideEndFault({ until }, nowMs);
    expect(fault).toBe(isRight ? undefined : 'Expected a time after now, and at most 7 days ahead.');
  });
});

test('a requested override has the time of its request', () => {
  expect(requestedOverride({ roomSetpointCelsius: 23, until: '2026-11-20T22:00:00Z' }, nowMs + 5)).toEqual({
    roomSetpointCelsius: 23,
    until: '2026-11-20T22:00:00Z',
    since: '2026-11-20T18:00:00.005Z',
  });
});

test.each<[{ readonly until?: string; readonly since?: string }, object]>([
  [{}, { until: 'next-switch-point', since: '2026-11-20T18:00:00Z' }],
  [{ until: '2026-11-20T22:00:00Z' }, { until: '2026-11-20T22:00:00Z', since: '2026-11-20T18:00:00Z' }],
  [{ since: '2026-11-20T17:00:00Z' }, { until: 'next-switch-point', since: '2026-11-20T17:00:00Z' }],
])('an override that is reported as %o is completed to %o', (reported, whole) => {
  expect(reportedOverride(reported, nowMs)).toEqual(whole);
});

describe('an override that is reported without its start', () => {
  const known = { roomSetpointCelsius: 23, until: at(3_600_000), since: at(0) };
  const untilSwitch = { ...known, until: 'next-switch-point' };

  test.each<[string, object, Override | null | undefined, string | undefined]>([
    ['has none if none is known', known, undefined, undefined],
    ['has none if it is known that there is none', known, null, undefined],
    ['has that of an equal one', { ...known, until: at(3_600_000 + 59_999) }, known, known.since],
    ['has none if the known one has another end', { ...known, until: at(3_600_000 + 60_000) }, known, undefined],
    ['has none if the known one has another temperature', { ...known, roomSetpointCelsius: 22 }, known, undefined],
    ['has that of one until the next switch point', { roomSetpointCelsius: 23 }, untilSwitch, known.since],
    ['has it even if the report has the time of the switch point', known, untilSwitch, known.since],
    ['has none if the known one ends at a time', { roomSetpointCelsius: 23 }, known, undefined],
    ['has that of one that began at the latest moment', known, { ...known, since: at(5) }, at(5)],
    ['has none if the known one began later', known, { ...known, since: at(6) }, undefined],
  ])('%s', (_, { since: __, ...override }: { since?: string }, other, since) => {
    expect(sinceOfSameOverride(override, [null, other], nowMs + 5)).toBe(since);
  });

  test('has that of the first equal one', () => {
    const later = { ...known, since: at(1) };
    expect(sinceOfSameOverride({ ...known, since: undefined }, [later, known], nowMs + 5)).toBe(later.since);
  });
});

describe('a desired override is met', () => {
  const since = at(0);
  const warm = { roomSetpointCelsius: 23, until: at(3_600_000), since };
  const untilSwitch = { ...warm, until: 'next-switch-point' };
  const hotWater = { until: at(3_600_000), since };
  const other = { ...warm, roomSetpointCelsius: 19 };

  test.each<[string, Override | null, Override | null, number, boolean]>([
    ['by itself', warm, warm, 1, true],
    ['by itself, for hot water', hotWater, hotWater, 1, true],
    [
      'by one with another spelling of its times',
      warm,
      { ...warm, until: '2026-11-20T19:00:00.0Z', since: at(9) },
      1,
      true,
    ],
    ['not by another temperature', warm, other, 1, false],
    [
      'by one whose end the appliance truncates to the minute',
      warm,
      { ...warm, until: at(3_600_000 - 59_999) },
      1,
      true,
    ],
    ['by one whose end the appliance rounds up', warm, { ...warm, until: at(3_600_000 + 59_999) }, 1, true],
    ['not by an end a minute later', warm, { ...warm, until: at(3_660_000) }, 1, false],
    ['not by an end a minute earlier', warm, { ...warm, until: at(3_540_000) }, 1, false],
    ['by a temperature with floating-point noise', warm, { ...warm, roomSetpointCelsius: 22.999999999999996 }, 1, true],
    ['not by none', warm, null, 1, false],
    ['not by none a moment before its end', warm, null, 3_599_999, false],
    ['by none after its end', warm, null, 3_600_000, true],
    ['by any other one after its end', warm, other, 3_600_000, true],
    ['by one that reports the time of the switch point', untilSwitch, warm, 1, true],
    ['by one until the switch point, without its time', untilSwitch, untilSwitch, 1, true],
    ['not by another temperature until the switch point', untilSwitch, other, 1, false],
    ['not by an equal one that was requested earlier', untilSwitch, { ...warm, since: at(-60_000) }, 1, false],
    ['not by an equal one that was requested later', untilSwitch, { ...warm, since: at(60_000) }, 1, false],
    ['by one whose start the appliance truncates to the minute', untilSwitch, { ...warm, since: at(-59_999) }, 1, true],
    ['not by none within a week, since the time of the switch is not known', untilSwitch, null, 7 * dayMs - 1, false],
    ['by none after a week, in which each program has switched', untilSwitch, null, 7 * dayMs, true],
    ['by none if none is desired', null, null, 1, true],
    ['not by one if none is desired', null, warm, 1, false],
  ])('%s', (_, desired, reported, afterMs, expected) => {
    expect(isOverrideMet(desired, reported, nowMs + afterMs)).toBe(expected);
  });
});
