import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { defaultLimits } from '../../../lambdas/api/schemas/circuit-limits.ts';
import {
  expectedOneOf,
  heatingLimitsOf,
  levelFaults,
  limitsOf,
  setpointWithin,
} from '../../../lambdas/domain/circuit-limits.ts';

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
    'heating#hc1': { minSetpointCelsius: 3, operationModes: ['auto', 'cooling'] },
    'heating#hc2': { minSetpointCelsius: 35 },
    'heating#hc3': { maxSetpointCelsius: 2 },
    'dhw#hc1': {},
  };

  test('are those of its appliance, and the usual ones where it has none', () => {
    expect(limitsOf({ circuitLimits }, 'heating', 'hc1')).toEqual({
      ...defaultLimits.heating,
      minSetpointCelsius: 3,
      operationModes: ['auto', 'cooling'],
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
    expect(levelFaults(points, { ...defaultLimits.heating, levels: ['eco', 'reduced'] })).toEqual([
      { pointer: '/2/setpoint', detail: 'Expected one of eco, reduced.' },
      { pointer: '/3/setpoint', detail: 'Expected one of eco, reduced.' },
    ]);
  });
});
