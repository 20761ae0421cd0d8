import { invalidRequest, type Problem } from '../api/problems.ts';
import type { CircuitLimits } from '../api/schemas/circuit-limits.ts';
import { pointerTo } from '../api/schemas/common.ts';
import { expectedOneOf, expectedSetpoint, setpointWithin } from '../domain/circuit-limits.ts';

/**
 * Returns the requested values, with setpoints exactly on their step. Returns a problem if a value is outside the limits of
 * any of these circuits: a setpoint out of range or off its steps, or a mode that the circuit lacks.
 */
export const withinLimits = <Values extends object>(
  values: Values,
  ...circuits: readonly CircuitLimits[]
): Values | Problem<'invalid-request'> => {
  const faults = new Map<string, string>();
  const held: [name: string, value: unknown][] = Object.entries(values).map(([name, value]) => {
    const ofEach = circuits.map((limits) => valueWithin(limits, name, value));
    const refusing = circuits[ofEach.indexOf(undefined)];
    if (refusing && value !== undefined) faults.set(pointerTo('body', name), expectedOf(refusing, name));
    return [name, ofEach[0]];
  });
  if (faults.size === 0) return Object.fromEntries(held) as Values;
  return invalidRequest([...faults].map(([pointer, detail]) => ({ pointer, detail })));
};

const setpoints = ['roomSetpointCelsius', 'waterSetpointCelsius'];

const valueWithin = (limits: CircuitLimits, name: string, value: unknown): unknown => {
  if (setpoints.includes(name)) return setpointWithin(limits, value as number);
  if (name === 'operationMode') return limits.operationModes.find((mode) => mode === value);
  return value;
};

const expectedOf = (limits: CircuitLimits, name: string): string =>
  setpoints.includes(name) ? expectedSetpoint(limits) : expectedOneOf(limits.operationModes);
