import * as z from 'zod/mini';
import { type Descriptions, mayBeAbsent, openEnum, word } from './common.ts';
import { celsius, temperature } from './measurement.ts';

/** What partners may request of a circuit. */
export type CircuitLimits = {
  readonly minSetpointCelsius: number;
  readonly maxSetpointCelsius: number;
  /** From the lowest setpoint on. */
  readonly setpointStepCelsius: number;
  readonly operationModes: string[];
  /** Of the switch points of time programs. */
  readonly levels: string[];
};

/** Families of circuits, with what partners may request of those whose appliance says nothing of its limits. */
export const defaultLimits: Readonly<Record<'heating' | 'dhw', CircuitLimits>> = {
  heating: {
    minSetpointCelsius: 5,
    maxSetpointCelsius: 30,
    setpointStepCelsius: 0.5,
    operationModes: ['auto', 'manual', 'off'],
    levels: ['eco', 'comfort', 'off'],
  },
  dhw: {
    minSetpointCelsius: 40,
    maxSetpointCelsius: 60,
    setpointStepCelsius: 1,
    operationModes: ['off', 'eco', 'comfort', 'auto'],
    levels: ['off', 'eco', 'comfort'],
  },
};

type Family = keyof typeof defaultLimits;

/** The limits as an answer has them. */
export const circuitLimits = (family: Family) =>
  z.looseObject({
    minSetpointCelsius: celsius(),
    maxSetpointCelsius: celsius(),
    setpointStepCelsius: step(),
    operationModes: z.array(word(defaultLimits[family].operationModes)).check(z.maxLength(maxWords)),
    levels: z.array(word(defaultLimits[family].levels)).check(z.maxLength(maxWords)),
  });

const step = () => z.number().check(z.minimum(0.01), z.maximum(temperature.maximum));

/** More modes or levels than any appliance has. */
const maxWords = 30;

/** The limits as a backend describes them: what it leaves out is as usual. */
export const describedLimits = () =>
  z
    .object({
      minSetpointCelsius: mayBeAbsent(celsius()),
      maxSetpointCelsius: mayBeAbsent(celsius()),
      setpointStepCelsius: mayBeAbsent(step()),
      operationModes: mayBeAbsent(z.array(openEnum()).check(z.maxLength(maxWords))),
      levels: mayBeAbsent(z.array(openEnum()).check(z.maxLength(maxWords))),
    })
    .check(
      z.refine(
        ({ minSetpointCelsius: minimum, maxSetpointCelsius: maximum }) =>
          typeof minimum !== 'number' || typeof maximum !== 'number' || minimum <= maximum,
        'Expected a minimum that is not above the maximum.',
      ),
    );

export const circuitLimitsDescriptions = (): Descriptions<CircuitLimits> => ({
  minSetpointCelsius: 'The lowest setpoint, in degrees Celsius.',
  maxSetpointCelsius: 'The highest setpoint, in degrees Celsius.',
  setpointStepCelsius: 'The step of setpoints, starting at the lowest setpoint, in kelvins.',
  operationModes: 'The allowed values of `operationMode`.',
  levels: 'The allowed levels of switch points in time programs.',
});
