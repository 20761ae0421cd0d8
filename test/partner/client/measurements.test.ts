import { expect, expectTypeOf, test } from 'vitest';
import { measurementDocs } from '../../../lambdas/api/schemas/gateway-measurements.ts';
import { knownMeasurementNames, knownMeasurements } from '../../../lambdas/api/schemas/known-measurements.ts';
import {
  type Measurement,
  type MeasurementName,
  measurementOf,
  measurementUnits,
} from '../../../partner/client/measurements.ts';

const one = (name: string, componentId: string | null): Measurement => ({
  ...measurementDocs().example,
  name,
  componentId,
});

test('a measurement is found by its name, known or not, and by its component', () => {
  const all = [
    one('flowTemperature', null),
    one('flowTemperature', '1'),
    one('flowTemperature', '2'),
    one('fanSpeed', '1'),
  ];
  expect(measurementOf(all, 'flowTemperature')).toBe(all[0]);
  expect(measurementOf(all, 'flowTemperature', '2')).toBe(all[2]);
  expect(measurementOf(all, 'fanSpeed')).toBe(all[3]);
  expect(measurementOf(all, 'fanSpeed', '2')).toBeUndefined();
  expect(measurementOf([], 'burner')).toBeUndefined();
});

test('the client knows the units of the service', () => {
  expect(measurementUnits).toEqual(
    Object.fromEntries(knownMeasurementNames.map((name) => [name, knownMeasurements[name].unit])),
  );
});

test('a known name is completed, and another one is accepted', () => {
  expectTypeOf<'outdoorTemperature'>().toExtend<MeasurementName>();
  expectTypeOf<string>().toExtend<MeasurementName>();
  // A union with plain `string` would be `string`, which editors do not complete.
  expectTypeOf<MeasurementName>().not.toEqualTypeOf<string>();
  expectTypeOf(measurementUnits.waterPressure).toEqualTypeOf<'bar'>();
  expectTypeOf(measurementUnits.compressor).toEqualTypeOf<null>();
});
