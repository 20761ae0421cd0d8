import { invalidRequest, type Problem } from '../api/problems.ts';
import type { CircuitLimits } from '../api/schemas/circuit-limits.ts';
import { pointerTo } from '../api/schemas/common.ts';
import type { LevelLimits, LevelSetpoint } from '../api/schemas/level-setpoints.ts';
import { expectedInRange, expectedOneOf, rangeOf, withinRange } from '../domain/circuit-limits.ts';

/**
 * Returns the requested values, with numbers exactly on their step. Returns a problem if a value is outside the limits of any
 * of these circuits: a number out of its range or off its steps, or a mode that the circuit lacks.
 */
export const withinLimits = <Values extends object>(
  values: Values,
  ...circuits: readonly CircuitLimits[]
): Values | Problem<'invalid-request'> => {
  const faults = new Map<string, string>();
  const held = heldBy(circuits, { path: ['body'], values, faults });
  if (faults.size === 0) return held as Values;
  return invalidRequest([...faults].map(([pointer, detail]) => ({ pointer, detail })));
};

type Requested = {
  readonly path: readonly string[];
  readonly values: object;
  /** What was expected, by the pointer to each value that is outside the limits. */
  readonly faults: Map<string, string>;
};

const heldBy = (circuits: readonly CircuitLimits[], { path, values, faults }: Requested): object => {
  const held: [name: string, value: unknown][] = Object.entries(values).map(([name, value]) => {
    if (name === 'heatingCurve') return [name, heldBy(circuits, { path: [...path, name], values: value, faults })];
    if (name === 'levelSetpoints') {
      const [{ levelSetpoints: limits }] = circuits as [CircuitLimits];
      return [name, levelsHeldBy(limits ?? [], value as LevelSetpoint[], { path: [...path, name], faults })];
    }
    const ofEach = circuits.map((limits) => valueWithin(limits, name, value));
    const refusing = circuits[ofEach.indexOf(undefined)];
    if (refusing && value !== undefined) faults.set(pointerTo(...path, name), expectedOf(refusing, name));
    return [name, ofEach[0]];
  });
  return Object.fromEntries(held);
};

const levelsHeldBy = (
  limits: readonly LevelLimits[],
  values: readonly LevelSetpoint[],
  { path, faults }: Pick<Requested, 'path' | 'faults'>,
): object[] =>
  values.map(({ level, setpointCelsius }, index) => {
    const range = limits.find((each) => each.level === level);
    const held = range && withinRange(range, setpointCelsius);
    const [name, expected] = range
      ? ['setpointCelsius', expectedInRange(range, 'setpointCelsius')]
      : ['level', expectedOneOf(limits.map((each) => each.level))];
    if (held === undefined) faults.set(pointerTo(...path, index, name), expected);
    return { level, setpointCelsius: held };
  });

const valueWithin = (limits: CircuitLimits, name: string, value: unknown): unknown => {
  const range = rangeOf(limits, name);
  if (range) return withinRange(range, value as number);
  if (name === 'operationMode') return limits.operationModes.find((mode) => mode === value);
  return value;
};

const expectedOf = (limits: CircuitLimits, name: string): string => {
  const range = rangeOf(limits, name);
  return range ? expectedInRange(range, name) : expectedOneOf(limits.operationModes);
};
