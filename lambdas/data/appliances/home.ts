import type { FamilyName } from '../../api/endpoints/circuit-endpoints.ts';
import { maxBodyBytes, maxPageBytes, pageSize } from '../../api/limits.ts';
import type { Circuit, TimeProgram } from '../../domain/appliance.ts';
import { queryPartition } from '../store/reads.ts';
import type { Store } from '../store/store.ts';
import { toCircuit } from './appliances.ts';
import { toTimeProgram } from './time-programs.ts';

/**
 * A circuit with one of its time programs, or a circuit that has none to show. A reader that has received the part is at its
 * position: that of the time program (`heating#hc1#2`), or that of the circuit (`heating#hc1`), after which all of its time
 * programs sort.
 */
export type HomePart = {
  readonly [Family in FamilyName]: {
    readonly family: Family;
    readonly circuit: Circuit<Family>;
    readonly timeProgram: TimeProgram | undefined;
    readonly position: string;
  };
}[FamilyName];

/** Parts of a home, and the position after which the next page begins, if there is one. */
export type HomePage = { readonly parts: readonly HomePart[]; readonly next: string | undefined };

type Item = Record<string, unknown>;

const circuitPrefix = 'CIRCUIT#';
const programPrefix = 'PROGRAM#';

/** A typical home has no more time programs than this, so one query reads them all. */
const firstPrograms = 30;

/** The number of time programs of maximum length that fit into a response. A home of several pages may have only long ones. */
const firstProgramsBehindPage = Math.floor(maxPageBytes / maxBodyBytes);

/** The limit of a further query: the most that it can read in excess of the response. */
const furtherPrograms = 30;

/**
 * Returns the parts of a gateway's home after a position, in their order, strongly consistent; the next page begins after
 * `next`. All circuits are read, as there are few, and the first time programs at the same time. If there are more,
 * `roomBehind` estimates how many still fit into the response, and further queries read them, up to a hundred in all. The
 * queries skip all other rows of the partition. They are no snapshot: if a circuit is created or deleted meanwhile, one query
 * may find what another one does not. Time programs without their circuit are left out. One query over both would be no
 * snapshot either, and would also read the rows between them.
 */
export const readHome = async (
  store: Store,
  gatewayId: string,
  {
    withTimePrograms,
    after = '',
    roomBehind,
  }: {
    readonly withTimePrograms: boolean;
    readonly after?: string | undefined;
    readonly roomBehind: (parts: readonly HomePart[], programs: number) => number;
  },
): Promise<HomePage> => {
  const readPrograms = (limit: number, position: string) =>
    queryPartition(
      store,
      'Appliances',
      { partition: gatewayId, prefix: programPrefix },
      { limit, after: position === '' ? undefined : { gatewayId, sk: `${programPrefix}${position}` } },
    );
  const [circuits, first] = await Promise.all([
    queryPartition(store, 'Appliances', { partition: gatewayId, prefix: circuitPrefix }),
    withTimePrograms
      ? readPrograms(after === '' ? firstPrograms : firstProgramsBehindPage, after)
      : { items: [], hasMore: false },
  ]);
  for (let { items: programs, hasMore } = first; ; ) {
    const last = programs.at(-1);
    const next = hasMore && last ? positionOf(last) : undefined;
    const parts = partsBetween(circuits.items, programs, after, next);
    if (next === undefined) return { parts, next };
    const room = Math.min(furtherPrograms, pageSize.max - programs.length, roomBehind(parts, programs.length));
    if (room < 1) return { parts, next };
    const more = await readPrograms(room, next);
    programs = [...programs, ...more.items];
    ({ hasMore } = more);
  }
};

/** The parts after one position and up to the other, or to the end. */
const partsBetween = (
  circuits: readonly Item[],
  programs: readonly Item[],
  after: string,
  last: string | undefined,
): HomePart[] => {
  const programsOf = Map.groupBy(programs, (program) => circuitIn(positionOf(program)));
  return circuits
    .flatMap((circuit) => partsOf(circuit, programsOf.get(positionOf(circuit)) ?? []))
    .filter(({ position }) => position > after && (last === undefined || position <= last));
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

/** The sort key without its kind; it orders circuits and their time programs together. */
const positionOf = ({ sk }: Item): string => String(sk).replace(/^[A-Z]+#/, '');

const circuitIn = (position: string): string => position.split('#').slice(0, 2).join('#');
