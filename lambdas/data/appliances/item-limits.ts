import { maxCircuits, maxTimeProgramsPerCircuit } from '../../api/limits.ts';
import type { Inventory } from '../../domain/gateway.ts';
import type { Store } from '../store/store.ts';
import type { TransactItem } from '../store/writes.ts';
import { type ApplianceItemKey, readShadows } from './appliances.ts';
import { countInInventory, inventoryIsUnchanged, type StoredInventory } from './inventory.ts';

/** Whether an item can be created: then the transaction item that its creation needs, or else what was expected. */
type Place =
  | { readonly check: TransactItem; readonly expected?: undefined }
  | { readonly check?: undefined; readonly expected: string };

/**
 * Finds a place for an item that a report creates. An item of the newest description always has one. Any other item has one as
 * long as the gateway has less circuits, or the circuit less time programs, than the limit; of two that take the last place at
 * once, one fails.
 */
export const placeFor = async (
  store: Store,
  { gatewayId, sk }: ApplianceItemKey,
  inventory: StoredInventory,
): Promise<Place> => {
  if (circuitIn(sk) === undefined || isDescribed(inventory, sk))
    return { check: inventoryIsUnchanged(store, gatewayId, inventory) };
  const existing = (await readShadows(store, gatewayId)).map((shadow) => shadow.sk);
  const expected = expectedInPlaceOf(sk, [...Object.keys(inventory.absentAtMs), ...existing]);
  return expected === undefined ? { check: countInInventory(store, gatewayId, inventory) } : { expected };
};

const isDescribed = ({ absentAtMs }: Inventory, sk: string): boolean => Object.hasOwn(absentAtMs, sk);

/** Returns what was expected of a report of another item than these; undefined if the item is within the limits. */
const expectedInPlaceOf = (sk: string, others: readonly string[]): string | undefined => {
  const circuit = circuitIn(sk);
  const ofCircuits = Map.groupBy(new Set(others), circuitIn);
  ofCircuits.delete(undefined);
  if (!ofCircuits.has(circuit) && ofCircuits.size >= maxCircuits)
    return `/data/circuitId: Expected one of the ${maxCircuits} circuits of the gateway, or a circuit that its newest description lists.`;
  const programs = (ofCircuits.get(circuit) ?? []).filter(isProgram);
  return isProgram(sk) && programs.length >= maxTimeProgramsPerCircuit
    ? `/data/timeProgramId: Expected one of the ${maxTimeProgramsPerCircuit} time programs of the circuit, or one that the newest description of its gateway lists.`
    : undefined;
};

/** What a description says of items, by their sort keys. */
export type Listing = {
  readonly listed: ReadonlySet<string>;
  /** Whether the description does not say if the item still exists. */
  readonly isOpen: (sk: string) => boolean;
};

/**
 * Returns those of a gateway's items that are left after a description: the listed ones, and the open ones. Of the open time
 * programs of a circuit, the first ones are left as long as the limit allows: otherwise a circuit would gain one with each
 * description that lists another one.
 */
export const leftOf = (items: readonly string[], { listed, isOpen }: Listing): string[] => {
  const listedIn = Map.groupBy([...listed].filter(isProgram), circuitIn);
  const open = items.filter((sk) => !listed.has(sk) && isOpen(sk));
  const within = [...Map.groupBy(open.filter(isProgram), circuitIn)].flatMap(([circuit, programs]) =>
    programs.slice(0, Math.max(0, maxTimeProgramsPerCircuit - (listedIn.get(circuit)?.length ?? 0))),
  );
  const left = new Set([...listed, ...open.filter((sk) => !isProgram(sk)), ...within]);
  return items.filter((sk) => left.has(sk));
};

const isProgram = (sk: string): boolean => sk.startsWith('PROGRAM#');

/** Returns the circuit to which an item belongs (`heating#hc1`); undefined for the holiday, which belongs to none. */
const circuitIn = (sk: string): string | undefined => /^(?:CIRCUIT|PROGRAM)#([^#]+#[^#]+)/.exec(sk)?.[1];
