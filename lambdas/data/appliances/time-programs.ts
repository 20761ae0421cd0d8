import type { FamilyName } from '../../api/endpoints/circuit-endpoints.ts';
import type { ProgramContent } from '../../api/schemas/time-program.ts';
import type { TimeProgram } from '../../domain/appliance.ts';
import { queryPartition } from '../store/reads.ts';
import type { Store } from '../store/store.ts';

/**
 * `requestChange` in `requested-changes.ts` writes the requested changes of a time program, and `report` in `reports.ts` writes
 * its reports, as for every item of an appliance.
 */
export const timeProgramItemKey = (
  gatewayId: string,
  family: FamilyName,
  circuitId: string,
  timeProgramId: string,
) => ({ gatewayId, sk: `${timeProgramPrefix(family, circuitId)}${timeProgramId}` });

const timeProgramPrefix = (family: FamilyName, circuitId: string) => `PROGRAM#${family}#${circuitId}#`;

/** A time program that has no name on the appliance has its id as name. */
export const toTimeProgram = ({ sk, gatewayId, reported, ...program }: Readonly<Record<string, unknown>>) => {
  const { name, switchPoints = null } = (reported ?? {}) as Partial<ProgramContent>;
  return {
    ...program,
    reported: { name: name || String(program.timeProgramId), switchPoints },
  } as object as TimeProgram;
};

/** Returns a page of a circuit's time programs; `after` is the last time program id of the previous page. */
export const listTimePrograms = async (
  store: Store,
  { gatewayId, family, circuitId }: { gatewayId: string; family: FamilyName; circuitId: string },
  limit: number,
  after?: string,
) => {
  const page = {
    limit,
    after: after === undefined ? undefined : timeProgramItemKey(gatewayId, family, circuitId, after),
  };
  const prefix = timeProgramPrefix(family, circuitId);
  const { items, hasMore } = await queryPartition(store, 'Appliances', { partition: gatewayId, prefix }, page);
  const programs = items.map(toTimeProgram);
  return { programs, next: hasMore ? programs.at(-1)?.timeProgramId : undefined };
};
