import type { FamilyName } from '../api/endpoints/circuit-endpoints.ts';
import { type CircuitLimits, defaultLimits } from '../api/schemas/circuit-limits.ts';
import { toHundredths } from '../api/schemas/measurement.ts';

/** The limits that a gateway was described with, by family and circuit: `heating#hc1`. */
export type DescribedLimits = Readonly<Record<string, Described>>;

type Described = { readonly [Name in keyof CircuitLimits]?: CircuitLimits[Name] | undefined };

export const limitsKey = (family: FamilyName, circuitId: string): string => `${family}#${circuitId}`;

type WithLimits = { readonly circuitLimits?: DescribedLimits | undefined };

/** Returns the limits for requests to a circuit: those of its appliance, and the usual ones where it has none. */
export const limitsOf = ({ circuitLimits = {} }: WithLimits, family: FamilyName, circuitId: string): CircuitLimits =>
  wholeLimits(family, circuitLimits[limitsKey(family, circuitId)]);

const wholeLimits = (family: FamilyName, described: Described = {}): CircuitLimits => {
  const limits = { ...defaultLimits[family], ...described } as CircuitLimits;
  const { minSetpointCelsius, maxSetpointCelsius } = limits;
  // An appliance may have a minimum above the usual maximum, or a maximum below the usual minimum.
  return described.minSetpointCelsius === undefined
    ? { ...limits, minSetpointCelsius: Math.min(minSetpointCelsius, maxSetpointCelsius) }
    : { ...limits, maxSetpointCelsius: Math.max(minSetpointCelsius, maxSetpointCelsius) };
};

/** Returns the limits of each heating circuit of a home; a holiday has to be within all of them. */
export const heatingLimitsOf = ({ circuitLimits = {} }: WithLimits): CircuitLimits[] => {
  const described = Object.entries(circuitLimits).filter(([key]) => key.startsWith(limitsKey('heating', '')));
  return described.length > 0 ? described.map(([, limits]) => wholeLimits('heating', limits)) : [defaultLimits.heating];
};

/**
 * Rounds a setpoint to the raster of a circuit, to remove floating-point noise. Returns undefined if it is off the raster or
 * outside of the limits.
 */
export const setpointWithin = (limits: CircuitLimits, celsius: number): number | undefined => {
  const { minSetpointCelsius: minimum, maxSetpointCelsius: maximum, setpointStepCelsius: step } = limits;
  const nearest = toHundredths(minimum + Math.round((celsius - minimum) / step) * step);
  const isOnRaster = Math.abs(celsius - nearest) < noise;
  return isOnRaster && nearest >= minimum && nearest <= maximum ? nearest : undefined;
};

/** The tolerance for floating-point noise, such as 21.500000000000004. */
const noise = 1e-9;

export const expectedSetpoint = (limits: CircuitLimits): string =>
  `Expected a temperature from ${limits.minSetpointCelsius} to ${limits.maxSetpointCelsius} in steps of ${limits.setpointStepCelsius}.`;

export const expectedOneOf = (words: readonly string[]): string =>
  words.length > 0 ? `Expected one of ${words.join(', ')}.` : 'Expected none: the appliance has no such setting.';

/** Returns a fault for each point whose level the circuit does not have. */
export const levelFaults = (points: readonly { readonly setpoint: string }[], { levels }: CircuitLimits) =>
  points.flatMap(({ setpoint }, index) =>
    levels.includes(setpoint) ? [] : [{ pointer: `/${index}/setpoint`, detail: expectedOneOf(levels) }],
  );
