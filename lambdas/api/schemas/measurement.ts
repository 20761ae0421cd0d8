import * as z from 'zod/mini';
import { openSensorCelsius, shortSensorCelsius } from '../limits.ts';
import { mapRows } from './common.ts';

/** What a measurement can be. It holds for answers and for reports: a value outside of it is shown by no answer. */
export type Measurement = {
  readonly minimum: number;
  readonly maximum: number;
  /** Values by which a sensor says that it cannot be read. */
  readonly faultValues?: readonly number[];
};

/** Any temperature of a house and its heating water, in degrees Celsius. */
export const temperature = {
  minimum: -50,
  maximum: 150,
  faultValues: [openSensorCelsius, shortSensorCelsius],
} as const satisfies Measurement;

/** A temperature that an appliance holds or is set to. Its own limits decide what partners may request. */
export const celsius = () => within(temperature);

/** A setpoint that a partner requests, as it is written: the limits of its circuit are checked with the circuit. */
export const requestedCelsius = () => requestedWithin(temperature);

/** A number that a partner requests. */
export const requestedWithin = ({ minimum, maximum }: Measurement) =>
  z.number().check(z.minimum(minimum), z.maximum(maximum));

/** A number that an appliance reports and an answer shows. */
export const within = ({ minimum, maximum }: Measurement) =>
  z.number().check(z.minimum(minimum), z.maximum(maximum), z.overwrite(toHundredths));

/** Floating-point noise such as 20.299999999999997 goes, and so does the sign of 0. */
export const toHundredths = (value: number): number => Math.round(value * 100) / 100 + 0;

type Measurements = Readonly<Record<string, Measurement>>;

/** The measurements as an answer has them: null if one cannot be read. */
export const shownMeasurements = <Rows extends Measurements>(rows: Rows) =>
  mapRows(rows, (row: Measurement) => z.nullable(within(row)));

/** The measurements as a report may have them; null and absent say that one cannot be read. */
export const reportedMeasurements = <Rows extends Measurements>(rows: Rows) =>
  mapRows(rows, ({ faultValues = [], ...row }: Measurement) =>
    z.optional(z.union([within(row), ...faultValues.map((value) => z.literal(value)), z.null()])),
  );

/** What the sensors read, of values from anywhere: null for each that is no value of its measurement. */
export const readingsOf = <Rows extends Measurements>(rows: Rows, values: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, readingOf(row, values[name])])) as {
    readonly [Name in keyof Rows]: number | null;
  };

const readingOf = ({ minimum, maximum }: Measurement, value: unknown): number | null => {
  const reading = typeof value === 'number' ? toHundredths(value) : Number.NaN;
  return reading >= minimum && reading <= maximum ? reading : null;
};
