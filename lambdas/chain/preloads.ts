import type { FamilyName } from '../api/endpoints/circuit-endpoints.ts';
import type { Endpoint, PreloadedItem } from '../api/endpoints/endpoint.ts';
import { gatewayNotFound, Problem } from '../api/problems.ts';
import { findGatewayAbsence, hasItem } from '../data/appliances/absence.ts';
import {
  type ApplianceItemKey,
  circuitItemKey,
  gatewayItemKey,
  holidayItemKey,
  timeProgramItemKey,
  toCircuit,
  toGateway,
  toHoliday,
  toTimeProgram,
} from '../data/appliances/appliances.ts';
import type { Preloaded } from '../data/lookup.ts';
import type { Store } from '../data/store/store.ts';
import type { Circuit, Gateway, Holiday, TimeProgram } from '../domain/appliance.ts';
import type { Outcome } from './request.ts';

/** What an endpoint wants brought along of the appliance that its path names. */
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

/** Takes the items that the row names from what was read, and refuses if one that the path names is not there. */
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
 * Names the first thing on the path that is not there: the gateway, the circuit, then what is wanted of it. What the row does not
 * preload is read only here, so that a request that succeeds does not pay for it.
 */
const absence = async (store: Store, { wanted, found, family, pathIds }: Wanted) => {
  if (family && wanted.includes('timeProgram') && !found.timeProgram)
    return (await circuitProblem(store, family, pathIds)) ?? new Problem('time-program-not-found');
  const problem = found.gateway ? undefined : await gatewayProblem(store, pathIds);
  if (problem) return problem;
  if (wanted.includes('circuit') && !found.circuit) return new Problem('circuit-not-found');
  // A gateway that has holidays reports that there is none.
  if (wanted.includes('holiday') && !found.holiday) return new Problem('not-supported', { feature: 'holidays' });
  // The gateway was described after it was read.
  return gatewayNotFound('not-described');
};

/** The problem of a path with a circuit that is not there, also because its gateway is not; undefined if it is there. */
export const circuitProblem = async (store: Store, family: FamilyName, { gatewayId = '', circuitId = '' }: Ids) => {
  if (await hasItem(store, circuitItemKey(gatewayId, family, circuitId))) return undefined;
  return (await gatewayProblem(store, { gatewayId })) ?? new Problem('circuit-not-found');
};

/** The problem of a path with a gateway that is not there; undefined if it is there. */
export const gatewayProblem = async (store: Store, { gatewayId = '' }: Ids) => {
  const absent = await findGatewayAbsence(store, gatewayId);
  return absent && gatewayNotFound(absent);
};

type Ids = Readonly<Record<string, string>>;

/** The keys of the items that an endpoint wants brought along, by the names that it has for them. */
export const preloadsOf = ({ preloads: wanted = [], family }: Endpoint, ids: Ids): Record<string, ApplianceItemKey> =>
  Object.fromEntries(wanted.map((item) => [item, itemKeyOf(item, family, ids)]));

const itemKeyOf = (
  item: PreloadedItem,
  family: FamilyName | undefined,
  { gatewayId = '', circuitId = '', timeProgramId = '' }: Ids,
): ApplianceItemKey => {
  if (item === 'gateway') return gatewayItemKey(gatewayId);
  if (item === 'holiday') return holidayItemKey(gatewayId);
  if (!family) throw new Error(`A row that preloads a ${item} names its family.`);
  return item === 'circuit'
    ? circuitItemKey(gatewayId, family, circuitId)
    : timeProgramItemKey(gatewayId, family, circuitId, timeProgramId);
};
