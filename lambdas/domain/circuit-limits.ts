import type { FamilyName } from '../api/endpoints/circuit-endpoints.ts';
import {
  type CircuitLimits,
  type CircuitWords,
  type HeatingLimits,
  type LimitsOf,
  usualCurveLimits,
  usualWords,
} from '../api/schemas/circuit-limits.ts';
import { mapRows } from '../api/schemas/common.ts';
import type { LevelLimits, LevelSetpoint } from '../api/schemas/level-setpoints.ts';
import { toHundredths } from '../api/schemas/measurement.ts';
import type { Range } from '../api/schemas/range.ts';
import { isSetpoint, type SetpointLimits, setpoints } from '../api/schemas/setpoints.ts';
import { levelsInOrder } from './level-setpoints.ts';

/** The limits that a gateway was described with, by family and circuit: `heating#hc1`. */
export type DescribedLimits = Readonly<Record<string, Described>>;

type Described = AsFarAsDescribed<CircuitWords> & {
  readonly heatingCurve?: { readonly [Name in keyof Curve]?: DescribedRange } | undefined;
  readonly levelSetpoints?: DescribedLevel[] | undefined;
} & { readonly [Name in keyof (SetpointLimits<'heating'> & SetpointLimits<'dhw'>)]?: DescribedRange };

type DescribedLevel = Pick<LevelSetpoint, 'level'> & AsFarAsDescribed<Range>;
type Curve = NonNullable<HeatingLimits['heatingCurve']>;
type DescribedRange = AsFarAsDescribed<Range> | undefined;
type AsFarAsDescribed<Limits> = { readonly [Name in keyof Limits]?: Limits[Name] | undefined };

export const limitsKey = (family: FamilyName, circuitId: string): string => `${family}#${circuitId}`;

type WithLimits = { readonly circuitLimits?: DescribedLimits | undefined };

/** Returns the limits for requests to a circuit: those of its appliance, and the usual ones where it has none. */
export const limitsOf = <Family extends FamilyName>(
  { circuitLimits = {} }: WithLimits,
  family: Family,
  circuitId: string,
): LimitsOf[Family] => wholeLimits(family, circuitLimits[limitsKey(family, circuitId)]);

const wholeLimits = <Family extends FamilyName>(family: Family, described: Described = {}): LimitsOf[Family] => {
  const { operationModes, levels } = usualWords[family];
  const { heatingCurve: curve } = described;
  const ranges = mapRows(setpoints[family] as SetpointRows, ({ isRare, usual }, name) => {
    const range = described[name as keyof Described] as DescribedRange;
    return isRare && !range ? null : wholeRange(usual, range);
  });
  const limits = {
    ...ranges,
    levelSetpoints: levelLimits(ranges[comfortSetpoints[family]] as Range, described.levelSetpoints),
    operationModes: described.operationModes ?? operationModes,
    levels: described.levels ?? levels,
    ...(family === 'heating' && {
      heatingCurve: curve
        ? mapRows(usualCurveLimits, (usual, name) => wholeRange(usual, curve[name as keyof Curve]))
        : null,
    }),
  };
  return limits as object as LimitsOf[Family];
};

const comfortSetpoints = { heating: 'roomSetpointCelsius', dhw: 'waterSetpointCelsius' } as const;

/** Returns the limits of the levels that can be set; null if none can. What a range leaves out is as for the comfort level. */
const levelLimits = (comfort: Range, described: readonly DescribedLevel[] = []): LevelLimits[] | null => {
  const levels = levelsInOrder(described).map(({ level, ...range }) => ({ level, ...wholeRange(comfort, range) }));
  return levels.length > 0 ? levels : null;
};

type SetpointRows = Readonly<Record<string, { readonly isRare: boolean; readonly usual: Range }>>;

/** An appliance may have a minimum above the usual maximum, or a maximum below the usual minimum. */
const wholeRange = (usual: Range, described: DescribedRange = {}): Range => {
  const { minimum = usual.minimum, maximum = usual.maximum, step = usual.step } = described;
  return described.minimum === undefined
    ? { minimum: Math.min(minimum, maximum), maximum, step }
    : { minimum, maximum: Math.max(minimum, maximum), step };
};

/** Returns the limits of each heating circuit of a home; a holiday has to be within all of them. */
export const heatingLimitsOf = ({ circuitLimits = {} }: WithLimits): HeatingLimits[] => {
  const described = Object.entries(circuitLimits).filter(([key]) => key.startsWith(limitsKey('heating', '')));
  const each = described.length > 0 ? described.map(([, limits]) => limits) : [undefined];
  return each.map((limits) => wholeLimits('heating', limits));
};

/** Returns the first of the settings that the appliance of a circuit does not have. */
export const missingSetting = (limits: CircuitLimits, settings: readonly string[]): string | undefined =>
  settings.find((name) => (limits as Readonly<Record<string, unknown>>)[name] === null);

/** Returns the range of a number that partners may request, by the property that has it; undefined for any other property. */
export const rangeOf = (limits: CircuitLimits, name: string): Range | undefined => {
  const { heatingCurve, ...ranges }: Partial<HeatingLimits & LimitsOf['dhw']> = limits;
  if (name === 'slope' || name === 'shiftKelvin') return heatingCurve?.[name];
  return isSetpoint(name) ? (ranges[name] ?? undefined) : undefined;
};

/**
 * Rounds a number to the steps of its range, to remove floating-point noise. Returns undefined if it is between two steps or
 * outside of the range.
 */
export const withinRange = ({ minimum, maximum, step }: Range, value: number): number | undefined => {
  const nearest = toHundredths(minimum + Math.round((value - minimum) / step) * step);
  const isOnStep = Math.abs(value - nearest) < noise;
  return isOnStep && nearest >= minimum && nearest <= maximum ? nearest : undefined;
};

/** The tolerance for floating-point noise, such as 21.500000000000004. */
const noise = 1e-9;

export const expectedInRange = ({ minimum, maximum, step }: Range, name: string): string =>
  `Expected a ${nouns[name] ?? 'temperature'} from ${minimum} to ${maximum} in steps of ${step}.`;

const nouns: Readonly<Record<string, string>> = { slope: 'slope', shiftKelvin: 'shift' };

export const expectedOneOf = (words: readonly string[]): string =>
  words.length > 0 ? `Expected one of ${words.join(', ')}.` : 'Expected none: the appliance has no such setting.';

/** Returns a fault for each point whose level its time program may not have. */
export const levelFaults = (points: readonly { readonly setpoint: string }[], levels: readonly string[]) =>
  points.flatMap(({ setpoint }, index) =>
    levels.includes(setpoint) ? [] : [{ pointer: `/${index}/setpoint`, detail: expectedOneOf(levels) }],
  );
