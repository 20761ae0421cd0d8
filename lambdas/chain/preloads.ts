import type { FamilyName } from '../api/endpoints/circuit-endpoints.ts';
import type { Endpoint, PreloadedItem } from '../api/endpoints/endpoint.ts';
import { gatewayNotFound, Problem } from '../api/problems.ts';
import { findGatewayAbsence, hasItem } from '../data/appliances/absence.ts';
import {
  type ApplianceItemKey,
  circuitItemKey,
  gatewayItemKey,
  holidayItemKey,
  toCircuit,
  toGateway,
  toHoliday,
} from '../data/appliances/appliances.ts';
import { timeProgramItemKey, toTimeProgram } from '../data/appliances/time-programs.ts';
import type { Preloaded } from '../data/lookup.ts';
import type { Store } from '../data/store/store.ts';
import type { Circuit, Gateway, Holiday, TimeProgram } from '../domain/appliance.ts';
import type { Outcome } from './request.ts';

/** The items of the path's appliance that an endpoint preloads. */
export type Preloads<Row extends Endpoint> = Pick<Items<FamilyOf<Row>>, ItemOf<Row>>;

type Items<Family extends FamilyName> = {
  readonly gateway: Gateway;
  readonly circuit: Circuit<Family>;
  readonly timeProgram: TimeProgram;
  readonly holiday: Holiday;
};
type FamilyOf<Row> = Row extends { readonly family: infer Family extends FamilyName } ? Family : never;
type ItemOf<Row> = Row extends { readonly preloads: readonly (infer Item extends PreloadedItem)[] } ? Item : never;

type Call = { readonly preloaded: Promise<Preloaded>; readonly store: Store; readonly pathIds: Ids };

/** Returns the items that the row names, or a problem if an item in the path does not exist. */
export function preloads<Row extends Endpoint>(row: Row): (call: Call) => Outcome<'preloads', Preloads<Row>>;
export function preloads({
  preloads: wanted = [],
  family,
}: Endpoint): (call: Call) => Outcome<'preloads', Partial<Items<FamilyName>>> {
  return async ({ preloaded, store, pathIds }: Call) => {
    const found = await preloaded;
    if (wanted.some((item) => !found[item])) return absence(store, { wanted, found, family, pathIds });
    const { gateway, circuit, timeProgram, holiday } = found;
    return {
      ...(gateway && { gateway: toGateway(gateway) }),
      ...(circuit && { circuit: toCircuit(circuit) }),
      ...(timeProgram && { timeProgram: toTimeProgram(timeProgram) }),
      ...(holiday && { holiday: toHoliday(holiday) }),
    };
  };
}

type Wanted = {
  readonly wanted: readonly PreloadedItem[];
  readonly found: Preloaded;
  readonly family: FamilyName | undefined;
  readonly pathIds: Ids;
};

/**
 * Returns the problem of the first part of the path that does not exist: the gateway, the circuit, then the item that is
 * wanted of it. Parts that the row does not preload are read only here, so that a successful request does not pay for them.
 */
const absence = async (store: Store, { wanted, found, family, pathIds }: Wanted) => {
  if (family && wanted.includes('timeProgram') && !found.timeProgram)
    return (await circuitProblem(store, family, pathIds)) ?? new Problem('time-program-not-found');
  const problem = found.gateway ? undefined : await gatewayProblem(store, pathIds);
  if (problem) return problem;
  if (wanted.includes('circuit') && !found.circuit) return new Problem('circuit-not-found');
  // A gateway that supports holidays reports even that there is no holiday.
  if (wanted.includes('holiday') && !found.holiday) return new Problem('not-supported', { feature: 'holidays' });
  // The gateway was described after it was read.
  return gatewayNotFound('not-described');
};

/** Returns the problem of a circuit that does not exist, or whose gateway does not exist; undefined if it exists. */
export const circuitProblem = async (store: Store, family: FamilyName, { gatewayId = '', circuitId = '' }: Ids) => {
  if (await hasItem(store, circuitItemKey(gatewayId, family, circuitId))) return undefined;
  return (await gatewayProblem(store, { gatewayId })) ?? new Problem('circuit-not-found');
};

/** Returns the problem of a gateway that does not exist; undefined if it exists. */
export const gatewayProblem = async (store: Store, { gatewayId = '' }: Ids) => {
  const absent = await findGatewayAbsence(store, gatewayId);
  return absent && gatewayNotFound(absent);
};

type Ids = Readonly<Record<string, string>>;

/** Returns the keys of the items that an endpoint preloads, by the names of the items. */
export const preloadsOf = ({ preloads: wanted = [], family }: Endpoint, ids: Ids): Record<string, ApplianceItemKey> =>
  Object.fromEntries(wanted.map((item) => [item, itemKeyOf(item, family, ids)]));

const itemKeyOf = (
  item: PreloadedItem,
  family: FamilyName | undefined,
  { gatewayId = '', circuitId = '', timeProgramId = '' }: Ids,
): ApplianceItemKey => {
  if (item === 'gateway') return gatewayItemKey(gatewayId);
  if (item === 'holiday') return holidayItemKey(gatewayId);
  if (!family) throw new Error(`A row that preloads a ${item} must name its family.`);
  return item === 'circuit'
    ? circuitItemKey(gatewayId, family, circuitId)
    : timeProgramItemKey(gatewayId, family, circuitId, timeProgramId);
};
