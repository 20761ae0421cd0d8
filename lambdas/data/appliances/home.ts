import type { FamilyName } from '../../api/endpoints/circuit-endpoints.ts';
import { pageSize } from '../../api/limits.ts';
import type { Circuit, TimeProgram } from '../../domain/appliance.ts';
import { queryPartition } from '../store/reads.ts';
import type { Store } from '../store/store.ts';
import { toCircuit, toTimeProgram } from './appliances.ts';

/**
 * A circuit with one of its time programs, or a circuit that has none to show. A reader who has taken it has come to its
 * position: that of the time program (`heating#hc1#2`), or of the circuit (`heating#hc1`), which all that it has comes behind.
 */
export type HomePart = {
  readonly [Family in FamilyName]: {
    readonly family: Family;
    readonly circuit: Circuit<Family>;
    readonly timeProgram: TimeProgram | undefined;
    readonly position: string;
  };
}[FamilyName];

type Item = Record<string, unknown>;

const circuitPrefix = 'CIRCUIT#';
const programPrefix = 'PROGRAM#';

/**
 * The parts of a gateway's home behind a position, in their order, strongly consistent; `next` is where more of them begin.
 * Circuits are few, and all are read; time programs are read in pages. The two queries run side by side and pass over all
 * other rows of the partition. They see what is stored while they run: of a circuit that comes or goes meanwhile, the one may
 * have brought what the other has not. Time programs without their circuit are left out. One query over both would be no
 * snapshot either, and would pay for the rows that stand between them.
 */
export const readHome = async (
  store: Store,
  gatewayId: string,
  { withTimePrograms, after = '' }: { readonly withTimePrograms: boolean; readonly after?: string | undefined },
): Promise<{ readonly parts: readonly HomePart[]; readonly next: string | undefined }> => {
  const page = {
    limit: pageSize.max,
    after: after === '' ? undefined : { gatewayId, sk: `${programPrefix}${after}` },
  };
  const [circuits, programs] = await Promise.all([
    queryPartition(store, 'Appliances', gatewayId, circuitPrefix),
    withTimePrograms
      ? queryPartition(store, 'Appliances', gatewayId, programPrefix, page)
      : { items: [], hasMore: false },
  ]);
  const programsOf = Map.groupBy(programs.items, (program) => circuitIn(positionOf(program)));
  const last = programs.items.at(-1);
  const next = programs.hasMore && last ? positionOf(last) : undefined;
  const parts = circuits.items
    .flatMap((circuit) => partsOf(circuit, programsOf.get(positionOf(circuit)) ?? []))
    .filter(({ position }) => position > after && (next === undefined || position <= next));
  return { parts, next };
};

const partsOf = (circuit: Item, programs: readonly Item[]): HomePart[] => {
  const ofCircuit = { family: String(circuit.sk).split('#')[1], circuit: toCircuit(circuit) };
  const parts =
    programs.length === 0
      ? [{ ...ofCircuit, timeProgram: undefined, position: positionOf(circuit) }]
      : programs.map((program) => ({
          ...ofCircuit,
          timeProgram: toTimeProgram(program),
          position: positionOf(program),
        }));
  return parts as HomePart[];
};

/** Circuits and their time programs are in one order by what stands in their sort keys behind the kind. */
const positionOf = ({ sk }: Item): string => String(sk).replace(/^[A-Z]+#/, '');

const circuitIn = (position: string): string => position.split('#').slice(0, 2).join('#');
