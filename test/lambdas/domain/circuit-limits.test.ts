import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type CircuitLimits,
  defaultLimits,
  defaultRanges,
  type Range,
} from '../../../lambdas/api/schemas/circuit-limits.ts';
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

const setpointWithin = (limits: CircuitLimits, celsius: number) =>
  withinRange(rangeOf(limits, 'roomSetpointCelsius') as Range, celsius);

const within = (minSetpointCelsius: number, maxSetpointCelsius: number, setpointStepCelsius: number) => ({
  ...defaultLimits.heating,
  minSetpointCelsius,
  maxSetpointCelsius,
  setpointStepCelsius,
});

describe('a setpoint', () => {
  test.each([
    [defaultLimits.heating, 5, 5],
    [defaultLimits.heating, 30, 30],
    [defaultLimits.heating, 4.5, undefined],
    [defaultLimits.heating, 30.5, undefined],
    [defaultLimits.heating, 21.3, undefined],
    [defaultLimits.heating, 21.500000000000004, 21.5],
    [defaultLimits.heating, 20.499999999999996, 20.5],
    [defaultLimits.heating, 29.999999999999996, 30],
    [defaultLimits.heating, 21.5000001, undefined],
    [defaultLimits.dhw, 50.5, undefined],
    [defaultLimits.dhw, 60, 60],
    [within(3, 35, 0.1), 21.3, 21.3],
    [within(3, 35, 0.1), 20.299999999999997, 20.3],
    [within(3, 35, 0.1), 3, 3],
    [within(4.5, 28, 1), 5.5, 5.5],
    [within(4.5, 28, 1), 5, undefined],
    [within(4.5, 28, 1), 28, undefined],
    [within(-20, -5, 0.5), -18.5, -18.5],
    [within(0, 10, 1), 1e-9, undefined],
    [within(0, 10, 1), 9e-10, 0],
  ])('within %o, %d → %s', (limits, celsius, expected) => {
    expect(setpointWithin(limits, celsius)).toBe(expected);
  });

  test('that a circuit supports is accepted with floating-point noise, and is unchanged the next time', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -5000, max: 5000 }),
        fc.constantFrom(0.1, 0.25, 0.5, 1, 5),
        fc.nat(200),
        fc.constantFrom(-1e-13, 0, 1e-13),
        (hundredths, step, steps, noise) => {
          const limits = within(hundredths / 100, Math.round(hundredths + step * 20_000) / 100, step);
          const taken = setpointWithin(limits, hundredths / 100 + step * steps + noise);
          expect(taken).toBeDefined();
          expect(setpointWithin(limits, taken as number)).toBe(taken);
        },
      ),
    );
  });
});

describe('the limits of a circuit', () => {
  const circuitLimits = {
    'heating#hc1': { minSetpointCelsius: 3, operationModes: ['auto', 'cooling'], levels: ['eco'] },
    'heating#hc2': { minSetpointCelsius: 35 },
    'heating#hc3': { maxSetpointCelsius: 2 },
    'dhw#hc1': {},
  } satisfies DescribedLimits;

  test('are those of its appliance, and the usual ones where it has none', () => {
    expect(limitsOf({ circuitLimits }, 'heating', 'hc1')).toEqual({
      ...defaultLimits.heating,
      minSetpointCelsius: 3,
      operationModes: ['auto', 'cooling'],
      levels: ['eco'],
    });
    expect(limitsOf({ circuitLimits }, 'dhw', 'hc1')).toEqual(defaultLimits.dhw);
    for (const id of ['hc9', 'constructor', '__proto__'])
      expect(limitsOf({ circuitLimits }, 'heating', id)).toEqual(defaultLimits.heating);
    expect(limitsOf({}, 'heating', 'hc1')).toEqual(defaultLimits.heating);
  });

  test('allow a value even if one end lies beyond the usual other end', () => {
    expect(limitsOf({ circuitLimits }, 'heating', 'hc2')).toMatchObject({
      minSetpointCelsius: 35,
      maxSetpointCelsius: 35,
    });
    expect(limitsOf({ circuitLimits }, 'heating', 'hc3')).toMatchObject({
      minSetpointCelsius: 2,
      maxSetpointCelsius: 2,
    });
  });

  test('of a home are those of each heating circuit, or the usual ones once', () => {
    expect(heatingLimitsOf({ circuitLimits }).map((each) => each.minSetpointCelsius)).toEqual([3, 35, 2]);
    expect(heatingLimitsOf({ circuitLimits: { 'heating#hc2': circuitLimits['heating#hc2'] } })).toHaveLength(1);
    expect(heatingLimitsOf({ circuitLimits: { 'heating#hc2': { minSetpointCelsius: 9 } } })).toMatchObject([
      { minSetpointCelsius: 9 },
    ]);
    for (const none of [{}, { circuitLimits: {} }, { circuitLimits: { 'dhw#d': {} } }])
      expect(heatingLimitsOf(none)).toEqual([defaultLimits.heating]);
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
    expect(limitsFor('all')).toEqual({ ...defaultLimits.heating, ...circuitLimits['heating#all'] });
    expect(limitsFor('unranged')).toEqual({ ...defaultLimits.heating, ...defaultRanges });
    expect(limitsFor('some')).toMatchObject({
      heatingCurve: {
        slope: { minimum: 0.1, maximum: 0.1, step: 0.1 },
        shiftKelvin: { minimum: -13, maximum: 40, step: 1 },
      },
      coolingSetpointCelsius: { minimum: 31, maximum: 31, step: 0.5 },
    });
    expect(defaultRanges.heatingCurve.slope).toEqual({ minimum: 0.2, maximum: 3.5, step: 0.1 });
    expect(defaultRanges.coolingSetpointCelsius).toEqual({ minimum: 18, maximum: 30, step: 0.5 });
  });

  test('is missing where the appliance describes no limits of it', () => {
    expect(limitsFor('other')).toMatchObject({ heatingCurve: null, coolingSetpointCelsius: null });
    expect(missingSetting(limitsFor('other'), ['operationMode', 'heatingCurve'])).toBe('heatingCurve');
    expect(missingSetting(limitsFor('other'), ['operationMode', 'roomSetpointCelsius'])).toBeUndefined();
    expect(missingSetting(limitsFor('all'), ['coolingSetpointCelsius', 'heatingCurve'])).toBeUndefined();
    expect(limitsOf({ circuitLimits }, 'dhw', 'all')).toEqual(defaultLimits.dhw);
  });

  test.each([
    ['slope', 'Expected a slope from 0.3 to 2 in steps of 0.05.'],
    ['shiftKelvin', 'Expected a shift from -5 to 5 in steps of 0.5.'],
    ['coolingSetpointCelsius', 'Expected a temperature from 20 to 26 in steps of 1.'],
    ['waterSetpointCelsius', 'Expected a temperature from 5 to 30 in steps of 0.5.'],
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
