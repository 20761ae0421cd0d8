import type { FamilyName } from '../api/endpoints/circuit-endpoints.ts';
import { type Circulation, defaultCirculationLevels } from '../api/schemas/circulation.ts';
import { type DescribedLimits, limitsKey, limitsOf } from './circuit-limits.ts';

/** The circulation pumps that a gateway was described with, by family and circuit: `dhw#dhw1`. */
export type DescribedCirculations = Readonly<Record<string, DescribedCirculation>>;

export type DescribedCirculation = {
  readonly timeProgramId: string;
  readonly levels?: string[] | undefined;
};

type WithCirculations = {
  readonly circulations?: DescribedCirculations | undefined;
  readonly circuitLimits?: DescribedLimits | undefined;
};

/** Returns the circulation of a hot-water circuit; null if its appliance describes none. */
export const circulationOf = ({ circulations = {} }: WithCirculations, circuitId: string): Circulation | null => {
  const described = circulations[limitsKey('dhw', circuitId)];
  if (!described) return null;
  const { timeProgramId, levels = defaultCirculationLevels } = described;
  return { timeProgramId, levels: [...new Set(levels)] };
};

type ProgramIds = { readonly circuitId: string; readonly timeProgramId: string };

/** Whether a time program of a hot-water circuit is the one of the circulation pump, which cannot be active. */
export const isOfCirculation = (gateway: WithCirculations, { circuitId, timeProgramId }: ProgramIds): boolean =>
  circulationOf(gateway, circuitId)?.timeProgramId === timeProgramId;

/** Returns the levels that the switch points of a time program may have. */
export const levelsOf = (gateway: WithCirculations, family: FamilyName, ids: ProgramIds): readonly string[] => {
  const circulation = family === 'dhw' ? circulationOf(gateway, ids.circuitId) : null;
  return circulation?.timeProgramId === ids.timeProgramId
    ? circulation.levels
    : limitsOf(gateway, family, ids.circuitId).levels;
};
