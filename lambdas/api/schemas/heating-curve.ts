import * as z from 'zod/mini';
import type { Descriptions, Values } from './common.ts';
import { type Measurement, requestedWithin, within } from './measurement.ts';

/** The numbers of any appliance's heating curve: those of some go further than partners may request. */
export const curveNumbers = {
  slope: { minimum: 0, maximum: 10 },
  shiftKelvin: { minimum: -100, maximum: 100 },
} as const satisfies Readonly<Record<string, Measurement>>;

/** A heating curve as appliances have it. */
export const heatingCurve = () => ({
  slope: within(curveNumbers.slope),
  shiftKelvin: within(curveNumbers.shiftKelvin),
});

/** A request replaces the whole curve: its two numbers describe one line. The limits of its circuit are checked with the circuit. */
export const requestedHeatingCurve = () =>
  z.strictObject({
    slope: requestedWithin(curveNumbers.slope),
    shiftKelvin: requestedWithin(curveNumbers.shiftKelvin),
  });

export type HeatingCurve = Values<ReturnType<typeof heatingCurve>>;

export const heatingCurveExample = () => ({ slope: 1.2, shiftKelvin: 0 });

export const heatingCurveDescription = (): { description: string; properties: Descriptions<HeatingCurve> } => ({
  description:
    'The heating curve, by which the appliance computes the supply temperature from the outside temperature. A change replaces both numbers.',
  properties: {
    slope: 'How much the supply temperature rises, in kelvins, for each kelvin by which it is colder outside.',
    shiftKelvin: 'By how much the whole curve is shifted up, or if it is negative down, in kelvins.',
  },
});
