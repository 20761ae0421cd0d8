import * as z from 'zod/mini';
import { type Descriptions, mayBeAbsent, openEnum, word } from './common.ts';
import { curveNumbers } from './heating-curve.ts';
import { celsius, type Measurement, temperature, within } from './measurement.ts';

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

/** The values of a number that partners may request, in steps from the lowest one on. */
export type Range = { readonly minimum: number; readonly maximum: number; readonly step: number };

/** Settings that not every heating circuit has: null if its appliance describes no limits of one. */
type RareSettings = {
  readonly heatingCurve: { readonly slope: Range; readonly shiftKelvin: Range } | null;
  readonly coolingSetpointCelsius: Range | null;
};

export type HeatingLimits = CircuitLimits & RareSettings;

export type LimitsOf = { readonly heating: HeatingLimits; readonly dhw: CircuitLimits };

/** The ranges of such a setting where the appliance has the setting and describes no range. */
export const defaultRanges = {
  heatingCurve: {
    slope: { minimum: 0.2, maximum: 3.5, step: 0.1 },
    shiftKelvin: { minimum: -13, maximum: 40, step: 1 },
  },
  coolingSetpointCelsius: { minimum: 18, maximum: 30, step: 0.5 },
} as const satisfies { readonly [Name in keyof RareSettings]: NonNullable<RareSettings[Name]> };

/** Families of circuits, with what partners may request of those whose appliance says nothing of its limits. */
export const defaultLimits: LimitsOf = {
  heating: {
    minSetpointCelsius: 5,
    maxSetpointCelsius: 30,
    setpointStepCelsius: 0.5,
    operationModes: ['auto', 'manual', 'off'],
    levels: ['eco', 'comfort', 'off'],
    heatingCurve: null,
    coolingSetpointCelsius: null,
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

const sharedLimits = (family: Family) => ({
  minSetpointCelsius: celsius(),
  maxSetpointCelsius: celsius(),
  setpointStepCelsius: step(),
  operationModes: z.array(word(defaultLimits[family].operationModes)).check(z.maxLength(maxWords)),
  levels: z.array(word(defaultLimits[family].levels)).check(z.maxLength(maxWords)),
});

/** The limits as an answer has them. */
export const dhwLimits = () => z.looseObject(sharedLimits('dhw'));

export const heatingLimits = () =>
  z.looseObject({
    ...sharedLimits('heating'),
    heatingCurve: z.nullable(
      z.looseObject({ slope: range(curveNumbers.slope), shiftKelvin: range(curveNumbers.shiftKelvin) }),
    ),
    coolingSetpointCelsius: z.nullable(range(temperature)),
  });

const range = (row: Measurement) => z.looseObject({ minimum: within(row), maximum: within(row), step: step() });

const step = () => z.number().check(z.minimum(0.01), z.maximum(temperature.maximum));

/** More modes or levels than any appliance has. */
export const maxWords = 30;

/**
 * The limits as a backend describes them: what it leaves out is as usual, but a setting that not every circuit has exists only
 * if it is there, even without a range.
 */
export const describedLimits = () =>
  z
    .object({
      minSetpointCelsius: mayBeAbsent(celsius()),
      maxSetpointCelsius: mayBeAbsent(celsius()),
      setpointStepCelsius: mayBeAbsent(step()),
      operationModes: mayBeAbsent(z.array(openEnum(known('operationModes'))).check(z.maxLength(maxWords))),
      levels: mayBeAbsent(z.array(openEnum(known('levels'))).check(z.maxLength(maxWords))),
      heatingCurve: mayBeAbsent(
        z.object({
          slope: mayBeAbsent(describedRange(curveNumbers.slope)),
          shiftKelvin: mayBeAbsent(describedRange(curveNumbers.shiftKelvin)),
        }),
      ),
      coolingSetpointCelsius: mayBeAbsent(describedRange(temperature)),
    })
    .check(
      z.refine(
        ({ minSetpointCelsius: minimum, maxSetpointCelsius: maximum }) => isInOrder({ minimum, maximum }),
        expectedOrder,
      ),
    );

/** The words of all families: the spelling of a description has to be that of reports and requests. */
const known = (name: 'operationModes' | 'levels') => Object.values(defaultLimits).flatMap((limits) => limits[name]);

const describedRange = (row: Measurement) =>
  z
    .object({ minimum: mayBeAbsent(within(row)), maximum: mayBeAbsent(within(row)), step: mayBeAbsent(step()) })
    .check(z.refine(isInOrder, expectedOrder));

type Ends = { readonly [End in 'minimum' | 'maximum']?: number | null | undefined };

const isInOrder = ({ minimum, maximum }: Ends): boolean =>
  typeof minimum !== 'number' || typeof maximum !== 'number' || minimum <= maximum;

const expectedOrder = 'Expected a minimum that is not above the maximum.';

export const circuitLimitsDescriptions = (): Descriptions<CircuitLimits> => ({
  minSetpointCelsius: 'The lowest setpoint, in degrees Celsius.',
  maxSetpointCelsius: 'The highest setpoint, in degrees Celsius.',
  setpointStepCelsius: 'The step of setpoints, starting at the lowest setpoint, in kelvins.',
  operationModes: 'The allowed values of `operationMode`.',
  levels: 'The allowed levels of switch points in time programs.',
});

/** `absence` says what is true of a circuit without the setting. */
export const heatingLimitsDescriptions = (
  absence: string = 'null if the circuit has no such setting',
): Descriptions<HeatingLimits> => ({
  ...circuitLimitsDescriptions(),
  heatingCurve: {
    description: `The allowed values of \`heatingCurve\`; ${absence}.`,
    properties: {
      slope: { description: 'The allowed slopes.', properties: rangeDescriptions() },
      shiftKelvin: { description: 'The allowed shifts, in kelvins.', properties: rangeDescriptions() },
    },
  },
  coolingSetpointCelsius: {
    description: `The allowed values of \`coolingSetpointCelsius\`, in degrees Celsius; ${absence}.`,
    properties: rangeDescriptions(),
  },
});

const rangeDescriptions = (): Descriptions<Range> => ({
  minimum: 'The lowest value.',
  maximum: 'The highest value.',
  step: 'The step of values, starting at the lowest value.',
});
