import type { MeasurementUnit } from '../api/schemas/known-measurements.ts';

/** How a number in another unit becomes a number in the unit of this service: the offset is added, then multiplied. */
type Conversion = { readonly factor: number; readonly offset?: number };

const same: Conversion = { factor: 1 };
const kelvin: Conversion = { factor: 1, offset: -273.15 };
const fahrenheit: Conversion = { factor: 5 / 9, offset: -32 };
const millibar: Conversion = { factor: 0.001 };
const kilopascal: Conversion = { factor: 0.01 };
const pascal: Conversion = { factor: 0.000_01 };
const kilowatt: Conversion = { factor: 1000 };
const litersPerMinute: Conversion = { factor: 60 };
const cubicMetersPerHour: Conversion = { factor: 1000 };

/**
 * The units that can be converted, in lower case and without blanks, hyphens and underscores. Those whose meaning depends on upper and lower case are
 * left out: `mPa` and `MPa`, `mW` and `MW`. So are gallons, of which there are two.
 */
const conversions: Readonly<Record<MeasurementUnit, Readonly<Record<string, Conversion>>>> = {
  celsius: {
    ...{
      celsius: same,
      '°c': same,
      c: same,
      degc: same,
      cel: same,
      '℃': same,
      degreecelsius: same,
      degreescelsius: same,
    },
    ...{ kelvin, k: kelvin, '°k': kelvin },
    ...{
      fahrenheit,
      '°f': fahrenheit,
      f: fahrenheit,
      degf: fahrenheit,
      '℉': fahrenheit,
      degreesfahrenheit: fahrenheit,
    },
  },
  bar: {
    ...{ bar: same, bars: same, mbar: millibar, millibar, hpa: millibar },
    ...{ millibars: millibar, hectopascal: millibar, kpa: kilopascal, kilopascal, pa: pascal, pascal },
    psi: { factor: 0.068_947_6 },
  },
  watt: { watt: same, watts: same, w: same, kilowatt, kilowatts: kilowatt, kw: kilowatt },
  litersPerHour: {
    ...{ litersperhour: same, litresperhour: same, 'l/h': same, lph: same },
    ...{ 'l/min': litersPerMinute, lpm: litersPerMinute, 'l/s': { factor: 3600 } },
    ...{ 'm3/h': cubicMetersPerHour, 'm³/h': cubicMetersPerHour, 'm^3/h': cubicMetersPerHour },
  },
  percent: { percent: same, '%': same, pct: same },
};

/** Returns a number in a unit of this service; undefined if its own unit cannot be converted. Absent is the same unit. */
export const inUnit = (unit: MeasurementUnit, value: number, written: string = unit): number | undefined => {
  const conversion = new Map(Object.entries(conversions[unit])).get(spellingOf(written));
  return conversion && (value + (conversion.offset ?? 0)) * conversion.factor;
};

/** Some write the ordinal sign or a ring for the degree sign, and some write words as `DEGREES_CELSIUS`. */
const spellingOf = (written: string): string =>
  written
    .toLowerCase()
    .replaceAll(/[\s_-]/g, '')
    .replace(/[º˚]/, '°');
