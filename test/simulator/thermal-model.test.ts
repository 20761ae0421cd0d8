import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openSensorCelsius } from '../../lambdas/api/limits.ts';
import { unreported } from '../../lambdas/api/schemas/circuit.ts';
import { driftDhw, driftHeating, type HeatingReport, levelAt } from '../../simulator/thermal-model.ts';
import { seed } from '../support/random.ts';

const heating = {
  ...unreported.heating,
  operationMode: 'auto',
  roomSetpointCelsius: 21,
  activeTimeProgramId: '1',
  roomTemperatureCelsius: 19,
  supplyTemperatureCelsius: 30,
} as const;
const dhw = {
  ...unreported.dhw,
  operationMode: 'auto',
  waterSetpointCelsius: 52,
  activeTimeProgramId: '1',
  waterTemperatureCelsius: 45,
} as const;
const forEver = 10_000;

describe('a room drifts towards', () => {
  test.each([
    ['its setpoint, while the program is at comfort', {}, 'comfort', 21],
    ['less, at eco', {}, 'eco', 18],
    ['the frost protection, at off', {}, 'off', 5],
    ['its setpoint, under a program without points', {}, undefined, 21],
    ['its setpoint in manual mode, whatever the program', { operationMode: 'manual' }, 'off', 21],
    ['the frost protection in mode off, whatever the program', { operationMode: 'off' }, 'comfort', 5],
    ['its cooling setpoint in mode cooling', { operationMode: 'cooling', coolingSetpointCelsius: 17 }, 'comfort', 17],
    ['its setpoint in mode cooling, if it has no other', { operationMode: 'cooling' }, 'off', 21],
    ['never less than the frost protection', { roomSetpointCelsius: 6 }, 'eco', 5],
  ] as const)('%s', (_, changes, level, expectedCelsius) => {
    const settled = driftHeating({ ...heating, ...changes }, level, forEver);
    expect(settled).toEqual({
      ...heating,
      ...changes,
      roomTemperatureCelsius: expectedCelsius,
      supplyTemperatureCelsius: expect.any(Number),
    });
  });
});

describe('water drifts towards', () => {
  test.each([
    ['its setpoint, while the program is at comfort', {}, 'comfort', 52],
    ['less, at eco', {}, 'eco', 40],
    ['the room, at off', {}, 'off', 20],
    ['its setpoint in mode comfort, whatever the program', { operationMode: 'comfort' }, 'off', 52],
    ['less in mode eco, whatever the program', { operationMode: 'eco' }, 'comfort', 40],
    ['the room in mode off, whatever the program', { operationMode: 'off' }, 'comfort', 20],
  ] as const)('%s', (_, changes, level, expectedCelsius) => {
    const settled = driftDhw({ ...dhw, ...changes }, level, forEver);
    expect(settled).toEqual({ ...dhw, ...changes, waterTemperatureCelsius: expectedCelsius });
  });
});

test('the supply is warmer the colder the room is, and at its minimum when the room is too warm', () => {
  const supplyWhileRoomStaysAt = (roomTemperatureCelsius: number) => {
    let report: HeatingReport = heating;
    for (let interval = 0; interval < 100; interval++)
      report = driftHeating({ ...report, roomTemperatureCelsius }, 'comfort', 1);
    return report.supplyTemperatureCelsius;
  };
  expect([18, 19.2, 20.2, 21, 23].map(supplyWhileRoomStaysAt)).toEqual([55, 49, 39, 33, 20]);
});

test.each([
  ['a usual curve', { slope: 1.2, shiftKelvin: 0 }, 33],
  ['a steeper curve', { slope: 1.5, shiftKelvin: 0 }, 36],
  ['a curve that is shifted up', { slope: 1.2, shiftKelvin: 5 }, 38],
])('the supply follows %s', (_, heatingCurve, expectedCelsius) => {
  const settled = driftHeating({ ...heating, heatingCurve, roomTemperatureCelsius: 21 }, 'comfort', forEver);
  expect(settled.supplyTemperatureCelsius).toBe(expectedCelsius);
});

test('an open sensor stays open, and the supply of its circuit still drifts', () => {
  const open = driftHeating({ ...heating, roomTemperatureCelsius: openSensorCelsius }, 'comfort', 3);
  expect(open.roomTemperatureCelsius).toBe(openSensorCelsius);
  expect(open.supplyTemperatureCelsius).toBe(33);
});

test('every step is small, towards the target, in tenths of a degree, and never beyond it', async () => {
  const tenths = (min: number, max: number) => fc.integer({ min: min * 10, max: max * 10 }).map((value) => value / 10);
  await fc.assert(
    fc.property(tenths(0, 40), tenths(5, 30), fc.integer({ min: 0, max: 5 }), (room, setpoint, intervals) => {
      const before = { ...heating, roomTemperatureCelsius: room, roomSetpointCelsius: setpoint };
      const after = driftHeating(before, 'comfort', intervals).roomTemperatureCelsius;
      expect(Math.abs(after - room)).toBeLessThanOrEqual(0.2 * intervals + 1e-9);
      expect(Math.abs(setpoint - after)).toBeLessThanOrEqual(Math.abs(setpoint - room));
      expect((setpoint - after) * (setpoint - room)).toBeGreaterThanOrEqual(0);
      expect(after).toBe(Math.round(after * 10) / 10);
      if (intervals > 0 && room !== setpoint) expect(after).not.toBe(room);
    }),
    { seed },
  );
});

const points = [
  { dayOfWeek: 'monday', time: '22:00', setpoint: 'eco' },
  { dayOfWeek: 'monday', time: '06:00', setpoint: 'comfort' },
  { dayOfWeek: 'thursday', time: '12:00', setpoint: 'off' },
];

test.each([
  ['from the minute of a point', '2036-03-10T06:00:00Z', 'comfort'],
  ['until the minute of the next', '2036-03-10T21:59:59Z', 'comfort'],
  ['even if the points are not in order', '2036-03-10T22:00:00Z', 'eco'],
  ['over days without points', '2036-03-12T03:00:00Z', 'eco'],
  ['over the end of the week', '2036-03-16T23:59:00Z', 'off'],
  ['into the day of the first point', '2036-03-10T05:59:00Z', 'off'],
])('a level holds %s', (_, now, expected) => {
  expect(levelAt(points, Date.parse(now))).toBe(expected);
});

test('a single point per week applies all week, including the minutes before it', () => {
  const only = [{ dayOfWeek: 'monday', time: '12:00', setpoint: 'comfort' }];
  for (const now of ['2036-03-10T11:59:00Z', '2036-03-10T12:00:00Z', '2036-03-14T00:00:00Z'])
    expect(levelAt(only, Date.parse(now))).toBe('comfort');
});

test('a program without points has no level', () => {
  expect(levelAt([], Date.parse('2036-03-10T12:00:00Z'))).toBeUndefined();
});
