import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Range } from '../../../lambdas/api/schemas/range.ts';
import {
  type DescribedLimits,
  expectedInRange,
  expectedOneOf,
  heatingLimitsOf,
  levelFaults,
  limitsOf,
  missingSetting,
  rangeOf,
  withinRange,
} from '../../../lambdas/domain/circuit-limits.ts';

const usual = {
  heating: {
    roomSetpointCelsius: { minimum: 5, maximum: 30, step: 0.5 },
    coolingSetpointCelsius: null,
    levelSetpoints: null,
    operationModes: ['auto', 'manual', 'off'],
    levels: ['eco', 'comfort', 'off'],
    heatingCurve: null,
  },
  dhw: {
    waterSetpointCelsius: { minimum: 40, maximum: 60, step: 1 },
    levelSetpoints: null,
    operationModes: ['off', 'eco', 'comfort', 'auto'],
    levels: ['off', 'eco', 'comfort'],
  },
};

const range = (minimum: number, maximum: number, step: number): Range => ({ minimum, maximum, step });

test('a level that the appliance describes has its range, and where it says nothing that of the comfort level', () => {
  const circuitLimits = { 'heating#hc1': { levelSetpoints: [{ level: 'reduced', minimum: 10 }] } };
  expect(limitsOf({ circuitLimits }, 'heating', 'hc1').levelSetpoints).toEqual([
    { level: 'reduced', minimum: 10, maximum: 30, step: 0.5 },
  ]);
});

describe('a setpoint', () => {
  test.each([
    [usual.heating.roomSetpointCelsius, 5, 5],
    [usual.heating.roomSetpointCelsius, 30, 30],
    [usual.heating.roomSetpointCelsius, 4.5, undefined],
    [usual.heating.roomSetpointCelsius, 30.5, undefined],
    [usual.heating.roomSetpointCelsius, 21.3, undefined],
    [usual.heating.roomSetpointCelsius, 21.500000000000004, 21.5],
    [usual.heating.roomSetpointCelsius, 20.499999999999996, 20.5],
    [usual.heating.roomSetpointCelsius, 29.999999999999996, 30],
    [usual.heating.roomSetpointCelsius, 21.5000001, undefined],
    [usual.dhw.waterSetpointCelsius, 50.5, undefined],
    [usual.dhw.waterSetpointCelsius, 60, 60],
    [range(3, 35, 0.1), 21.3, 21.3],
    [range(3, 35, 0.1), 20.299999999999997, 20.3],
    [range(3, 35, 0.1), 3, 3],
    [range(4.5, 28, 1), 5.5, 5.5],
    [range(4.5, 28, 1), 5, undefined],
    [range(4.5, 28, 1), 28, undefined],
    [range(-20, -5, 0.5), -18.5, -18.5],
    [range(0, 10, 1), 1e-9, undefined],
    [range(0, 10, 1), 9e-10, 0],
  ])('within %o, %d → %s', (allowed, celsius, expected) => {
    expect(withinRange(allowed, celsius)).toBe(expected);
  });

  test('that a circuit supports is accepted with floating-point noise, and is unchanged the next time', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -5000, max: 5000 }),
        fc.constantFrom(0.1, 0.25, 0.5, 1, 5),
        fc.nat(200),
        fc.constantFrom(-1e-13, 0, 1e-13),
        (hundredths, step, steps, noise) => {
          const allowed = range(hundredths / 100, Math.round(hundredths + step * 20_000) / 100, step);
          const taken = withinRange(allowed, hundredths / 100 + step * steps + noise);
          expect(taken).toBeDefined();
          expect(withinRange(allowed, taken as number)).toBe(taken);
        },
      ),
    );
  });
});

describe('the limits of a circuit', () => {
  const circuitLimits = {
    'heating#hc1': { roomSetpointCelsius: { minimum: 3 }, operationModes: ['auto', 'cooling'], levels: ['eco'] },
    'heating#hc2': { roomSetpointCelsius: { minimum: 35 } },
    'heating#hc3': { roomSetpointCelsius: { maximum: 2 } },
    'dhw#hc1': {},
  } satisfies DescribedLimits;

  test('are those of its appliance, and the usual ones where it has none', () => {
    expect(limitsOf({ circuitLimits }, 'heating', 'hc1')).toEqual({
      ...usual.heating,
      roomSetpointCelsius: range(3, 30, 0.5),
      operationModes: ['auto', 'cooling'],
      levels: ['eco'],
    });
    expect(limitsOf({ circuitLimits }, 'dhw', 'hc1')).toEqual(usual.dhw);
    for (const id of ['hc9', 'constructor', '__proto__'])
      expect(limitsOf({ circuitLimits }, 'heating', id)).toEqual(usual.heating);
    expect(limitsOf({}, 'heating', 'hc1')).toEqual(usual.heating);
  });

  test('allow a value even if one end lies beyond the usual other end', () => {
    expect(limitsOf({ circuitLimits }, 'heating', 'hc2')).toMatchObject({
      roomSetpointCelsius: range(35, 35, 0.5),
    });
    expect(limitsOf({ circuitLimits }, 'heating', 'hc3')).toMatchObject({
      roomSetpointCelsius: range(2, 2, 0.5),
    });
  });

  test('of a home are those of each heating circuit, or the usual ones once', () => {
    expect(heatingLimitsOf({ circuitLimits }).map((each) => each.roomSetpointCelsius.minimum)).toEqual([3, 35, 2]);
    expect(heatingLimitsOf({ circuitLimits: { 'heating#hc2': circuitLimits['heating#hc2'] } })).toHaveLength(1);
    expect(
      heatingLimitsOf({ circuitLimits: { 'heating#hc2': { roomSetpointCelsius: { minimum: 9 } } } }),
    ).toMatchObject([{ roomSetpointCelsius: range(9, 30, 0.5) }]);
    for (const none of [{}, { circuitLimits: {} }, { circuitLimits: { 'dhw#d': {} } }])
      expect(heatingLimitsOf(none)).toEqual([usual.heating]);
  });

  test.each([
    [[], 'Expected none: the appliance has no such setting.'],
    [['auto'], 'Expected one of auto.'],
    [['auto', 'off'], 'Expected one of auto, off.'],
  ])('describe the words %j', (words, expected) => {
    expect(expectedOneOf(words)).toBe(expected);
  });

  test('report each switch point whose level the circuit does not have', () => {
    const points = ['eco', 'reduced', 'off', 'hot'].map((setpoint) => ({ setpoint }));
    expect(levelFaults(points, ['eco', 'reduced'])).toEqual([
      { pointer: '/2/setpoint', detail: 'Expected one of eco, reduced.' },
      { pointer: '/3/setpoint', detail: 'Expected one of eco, reduced.' },
    ]);
  });
});

describe('a setting that only some heating circuits have', () => {
  const slope = { minimum: 0.3, maximum: 2, step: 0.05 };
  const circuitLimits: DescribedLimits = {
    'heating#all': {
      heatingCurve: { slope, shiftKelvin: { minimum: -5, maximum: 5, step: 0.5 } },
      coolingSetpointCelsius: { minimum: 20, maximum: 26, step: 1 },
    },
    'heating#some': { heatingCurve: { slope: { maximum: 0.1 } }, coolingSetpointCelsius: { minimum: 31 } },
    'heating#unranged': { heatingCurve: {}, coolingSetpointCelsius: {} },
    'dhw#all': { heatingCurve: {}, coolingSetpointCelsius: {} },
  };
  const limitsFor = (circuitId: string) => limitsOf({ circuitLimits }, 'heating', circuitId);

  test('has the ranges of its appliance, and the usual ones where the appliance describes none', () => {
    expect(limitsFor('all')).toEqual({ ...usual.heating, ...circuitLimits['heating#all'] });
    expect(limitsFor('unranged')).toEqual({
      ...usual.heating,
      heatingCurve: { slope: range(0.2, 3.5, 0.1), shiftKelvin: range(-13, 40, 1) },
      coolingSetpointCelsius: range(18, 30, 0.5),
    });
    expect(limitsFor('some')).toMatchObject({
      heatingCurve: {
        slope: { minimum: 0.1, maximum: 0.1, step: 0.1 },
        shiftKelvin: { minimum: -13, maximum: 40, step: 1 },
      },
      coolingSetpointCelsius: { minimum: 31, maximum: 31, step: 0.5 },
    });
  });

  test('has a range for each number, and for nothing else', () => {
    expect(rangeOf(limitsFor('all'), 'operationModes')).toBeUndefined();
  });

  test('is missing where the appliance describes no limits of it', () => {
    expect(limitsFor('other')).toMatchObject({ heatingCurve: null, coolingSetpointCelsius: null });
    expect(missingSetting(limitsFor('other'), ['operationMode', 'heatingCurve'])).toBe('heatingCurve');
    expect(missingSetting(limitsFor('other'), ['operationMode', 'roomSetpointCelsius'])).toBeUndefined();
    expect(missingSetting(limitsFor('all'), ['coolingSetpointCelsius', 'heatingCurve'])).toBeUndefined();
    expect(limitsOf({ circuitLimits }, 'dhw', 'all')).toEqual(usual.dhw);
  });

  test.each([
    ['slope', 'Expected a slope from 0.3 to 2 in steps of 0.05.'],
    ['shiftKelvin', 'Expected a shift from -5 to 5 in steps of 0.5.'],
    ['coolingSetpointCelsius', 'Expected a temperature from 20 to 26 in steps of 1.'],
    ['roomSetpointCelsius', 'Expected a temperature from 5 to 30 in steps of 0.5.'],
  ])('has numbers with a range each: %s', (name, expected) => {
    expect(expectedInRange(rangeOf(limitsFor('all'), name) as Range, name)).toBe(expected);
  });

  test('has no range if it is missing, and neither have other properties', () => {
    for (const name of ['slope', 'shiftKelvin', 'coolingSetpointCelsius'])
      expect(rangeOf(limitsFor('other'), name)).toBeUndefined();
    expect(rangeOf(limitsFor('all'), 'operationMode')).toBeUndefined();
  });

  test.each([
    [0.3, 0.3],
    [2, 2],
    [0.35, 0.35],
    [0.30000000000000004, 0.3],
    [0.25, undefined],
    [2.05, undefined],
    [0.32, undefined],
  ])('takes numbers on a step of their range: %d → %s', (value, expected) => {
    expect(withinRange(slope, value)).toBe(expected);
  });
});
