import * as z from 'zod/mini';
import { type Descriptions, mapRows, mayBeAbsent, openEnum, word } from './common.ts';
import { curveNumbers } from './heating-curve.ts';
import { describedLevelLimits, type LevelLimits, levelLimits, levelLimitsDescription } from './level-setpoints.ts';
import { temperature } from './measurement.ts';
import { describedRange, type Range, range, rangeDescriptions } from './range.ts';
import { type SetpointLimits, setpoints } from './setpoints.ts';

/** The words that partners may request of a circuit. */
export type CircuitWords = {
  readonly operationModes: string[];
  /** Of the switch points of time programs. */
  readonly levels: string[];
};

type LimitsOfLevels = { readonly levelSetpoints: LevelLimits[] | null };

type CurveLimits = { readonly slope: Range; readonly shiftKelvin: Range };

/** What partners may request of a heating circuit. Null if it has no such setting. */
export type HeatingLimits = SetpointLimits<'heating'> &
  LimitsOfLevels &
  CircuitWords & { readonly heatingCurve: CurveLimits | null };

type DhwLimits = SetpointLimits<'dhw'> & LimitsOfLevels & CircuitWords;

export type LimitsOf = { readonly heating: HeatingLimits; readonly dhw: DhwLimits };

export type CircuitLimits = LimitsOf[keyof LimitsOf];

/** The limits of a heating curve that an appliance has without describing a range. */
export const usualCurveLimits: CurveLimits = {
  slope: { minimum: 0.2, maximum: 3.5, step: 0.1 },
  shiftKelvin: { minimum: -13, maximum: 40, step: 1 },
};

/** Families of circuits, with the words that partners may request of those whose appliance says nothing of them. */
export const usualWords = {
  heating: { operationModes: ['auto', 'manual', 'off'], levels: ['eco', 'comfort', 'off'] },
  dhw: { operationModes: ['off', 'eco', 'comfort', 'auto'], levels: ['off', 'eco', 'comfort'] },
} satisfies Readonly<Record<string, CircuitWords>>;

type Family = keyof typeof usualWords;

const shownWords = (family: Family) => ({
  operationModes: z.array(word(usualWords[family].operationModes)).check(z.maxLength(maxWords)),
  levels: z.array(word(usualWords[family].levels)).check(z.maxLength(maxWords)),
});

/** The limits as an answer has them. */
export const dhwLimits = () =>
  z.looseObject({
    ...mapRows(setpoints.dhw, () => range(temperature)),
    levelSetpoints: levelLimits(),
    ...shownWords('dhw'),
  });

export const heatingLimits = () =>
  z.looseObject({
    ...mapRows(setpoints.heating, ({ isRare }) => (isRare ? z.nullable(range(temperature)) : range(temperature))),
    levelSetpoints: levelLimits(),
    ...shownWords('heating'),
    heatingCurve: z.nullable(
      z.looseObject({ slope: range(curveNumbers.slope), shiftKelvin: range(curveNumbers.shiftKelvin) }),
    ),
  });

/** More modes or levels than any appliance has. */
export const maxWords = 30;

/**
 * The limits as a backend describes them: what it leaves out is as usual, but a setting that not every circuit has exists only
 * if it is there, even without a range.
 */
export const describedLimits = () =>
  z.object({
    ...mapRows({ ...setpoints.heating, ...setpoints.dhw }, () => mayBeAbsent(describedRange(temperature))),
    levelSetpoints: mayBeAbsent(describedLevelLimits()),
    operationModes: mayBeAbsent(z.array(openEnum(known('operationModes'))).check(z.maxLength(maxWords))),
    levels: mayBeAbsent(z.array(openEnum(known('levels'))).check(z.maxLength(maxWords))),
    heatingCurve: mayBeAbsent(
      z.object({
        slope: mayBeAbsent(describedRange(curveNumbers.slope)),
        shiftKelvin: mayBeAbsent(describedRange(curveNumbers.shiftKelvin)),
      }),
    ),
  });

/** The words of all families: the spelling of a description has to be that of reports and requests. */
const known = (name: 'operationModes' | 'levels') => Object.values(usualWords).flatMap((words) => words[name]);

const wordDescriptions = (): Descriptions<CircuitWords> => ({
  operationModes: 'The allowed values of `operationMode`.',
  levels: 'The allowed levels of switch points in time programs.',
});

/** `absence` says what is true of a circuit without the setting. */
const setpointDescription = (absence: string) => (row: { readonly isRare: boolean }) => ({
  description: `The allowed values, in degrees Celsius${row.isRare ? `; ${absence}` : ''}.`,
  properties: rangeDescriptions(),
});

const absentSetting = 'null if the circuit has no such setting';

export const dhwLimitsDescriptions = (absence = absentSetting): Descriptions<DhwLimits> => ({
  ...mapRows(setpoints.dhw, setpointDescription(absence)),
  levelSetpoints: levelLimitsDescription(absence),
  ...wordDescriptions(),
});

export const heatingLimitsDescriptions = (absence = absentSetting): Descriptions<HeatingLimits> => ({
  ...mapRows(setpoints.heating, setpointDescription(absence)),
  levelSetpoints: levelLimitsDescription(absence),
  ...wordDescriptions(),
  heatingCurve: {
    description: `The allowed values of \`heatingCurve\`; ${absence}.`,
    properties: {
      slope: { description: 'The allowed slopes.', properties: rangeDescriptions() },
      shiftKelvin: { description: 'The allowed shifts, in kelvins.', properties: rangeDescriptions() },
    },
  },
});
