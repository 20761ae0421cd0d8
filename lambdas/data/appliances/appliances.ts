import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { FamilyName } from '../../api/endpoints/circuit-endpoints.ts';
import type { RequestedChangeEvent } from '../../api/requested-change.ts';
import { unreported } from '../../api/schemas/circuit.ts';
import { applianceFeatures } from '../../api/schemas/gateway.ts';
import type { Circuit, Gateway, Holiday, Shadow } from '../../domain/appliance.ts';
import { gatewayState, type StoredFacts } from '../../domain/gateway.ts';
import { batchGet, queryPartition, readAllPages } from '../store/reads.ts';
import type { Store } from '../store/store.ts';
import { timeProgramItemKey, toTimeProgram } from './time-programs.ts';

/**
 * One partition per gateway: `GATEWAY`, `HOLIDAY`, `CIRCUIT#<family>#<circuitId>`,
 * `PROGRAM#<family>#<circuitId>#<timeProgramId>`, the items with reported parts, `REPORTED_…` (`parts-items.ts`), and
 * `INVENTORY`, which outlives them. Reported values come from the backend that is connected to the gateways; the API writes
 * desired values.
 */
type Item = Record<string, unknown>;

export type ApplianceItemKey = { readonly gatewayId: string; readonly sk: string };

export const gatewayItemKey = (gatewayId: string) => ({ gatewayId, sk: 'GATEWAY' });
export const holidayItemKey = (gatewayId: string) => ({ gatewayId, sk: 'HOLIDAY' });
export const circuitItemKey = (gatewayId: string, family: FamilyName, circuitId: string) => ({
  gatewayId,
  sk: `${circuitPrefix(family)}${circuitId}`,
});

const circuitPrefix = (family: FamilyName) => `CIRCUIT#${family}#`;

/** What a requested change applies to. */
type ChangeItem = RequestedChangeEvent['data']['item'];

export const changedItemKey = (gatewayId: string, item: ChangeItem): ApplianceItemKey => {
  switch (item.kind) {
    case 'circuit':
      return circuitItemKey(gatewayId, item.family, item.circuitId);
    case 'time-program':
      return timeProgramItemKey(gatewayId, item.family, item.circuitId, item.timeProgramId);
    case 'holiday':
      return holidayItemKey(gatewayId);
  }
};

/** The inverse of `changedItemKey`: returns what a requested change applies to, from the sort key of its item. */
export const changeItemOf = (sk: string): ChangeItem => {
  const [kind, family, circuitId = '', timeProgramId = ''] = sk.split('#');
  if (kind === 'HOLIDAY') return { kind: 'holiday' };
  const circuit = { family: family as FamilyName, circuitId };
  return kind === 'CIRCUIT' ? { kind: 'circuit', ...circuit } : { kind: 'time-program', ...circuit, timeProgramId };
};

/**
 * A gateway that was described before features existed has none, and one that was described before time zones existed has no
 * known one. Features that this version does not know are left out.
 */
export const toGateway = ({ sk, facts, describedAtMs, removedAtMs, receivedAtMs, ...nameplate }: Item): Gateway =>
  ({
    ...nameplate,
    features: applianceFeatures.filter((each) => (nameplate.features as readonly string[] | undefined)?.includes(each)),
    timeZone: nameplate.timeZone ?? null,
    ...gatewayState(facts as StoredFacts, Number(describedAtMs)),
  }) as object as Gateway;

/**
 * A setting or measurement that was never reported for a circuit is null, as it is in an item that is older than the property.
 */
export const toCircuit = <Family extends FamilyName>({ sk, reported, ...circuit }: Item) =>
  ({
    ...circuit,
    reported: { ...unreportedOf(String(sk)), ...(reported as object) },
  }) as object as Circuit<Family>;

const unreportedOf = (sk: string): object => {
  const item = changeItemOf(sk);
  return item.kind === 'circuit' ? unreported[item.family] : {};
};

/** The names of all settings that may be desired of an item. Those of a circuit include its name and measurements. */
export const settingsOf = (sk: string): readonly string[] => {
  const item = changeItemOf(sk);
  if (item.kind === 'circuit') return Object.keys(unreported[item.family]);
  return item.kind === 'holiday' ? ['holiday'] : ['name', 'switchPoints'];
};

/** The holiday is null until the gateway has reported one that can be read. */
export const toHoliday = ({ sk, reported, ...holiday }: Item) =>
  ({ ...holiday, reported: { holiday: null, ...(reported as object) } }) as object as Holiday;

export const toShadow = (item: Item): Shadow => {
  const { kind } = changeItemOf(String(item.sk));
  return kind === 'circuit' ? toCircuit(item) : kind === 'holiday' ? toHoliday(item) : toTimeProgram(item);
};

/** Returns a circuit, a time program or a holiday, strongly consistent; undefined if it does not exist. */
export const readShadow = async (store: Store, key: ApplianceItemKey): Promise<Shadow | undefined> => {
  const { Item } = await store.send(
    new GetCommand({ TableName: store.tableName('Appliances'), Key: key, ConsistentRead: true }),
  );
  return Item && toShadow(Item);
};

/** Returns the existing gateways with these ids, in no particular order. */
export const readGateways = async (store: Store, gatewayIds: readonly string[]): Promise<Gateway[]> => {
  if (gatewayIds.length === 0) return [];
  const table = store.tableName('Appliances');
  const items = await batchGet(store, { [table]: { Keys: gatewayIds.map(gatewayItemKey) } });
  return items(table).map(toGateway);
};

/** Returns those of the ids whose gateways exist. */
export const existingGatewayIds = async (store: Store, gatewayIds: readonly string[]): Promise<ReadonlySet<string>> => {
  // A batch contains each key once. A gateway that moves to another owner may be in two contracts that were read concurrently.
  const keys = [...new Set(gatewayIds)].map(gatewayItemKey);
  if (keys.length === 0) return new Set();
  const table = store.tableName('Appliances');
  const items = await batchGet(store, { [table]: { Keys: keys, ProjectionExpression: 'gatewayId' } });
  return new Set(items(table).map(({ gatewayId }) => String(gatewayId)));
};

/** Returns a page of a gateway's circuits of one family; `after` is the last circuit id of the previous page. */
export const listCircuits = async <Family extends FamilyName>(
  store: Store,
  { gatewayId, family }: { gatewayId: string; family: Family },
  limit: number,
  after?: string,
) => {
  const page = { limit, after: after === undefined ? undefined : circuitItemKey(gatewayId, family, after) };
  const { items, hasMore } = await queryPartition(
    store,
    'Appliances',
    { partition: gatewayId, prefix: circuitPrefix(family) },
    page,
  );
  const circuits = items.map((item) => toCircuit<Family>(item));
  return { circuits, next: hasMore ? circuits.at(-1)?.circuitId : undefined };
};

/** A circuit, a time program or a holiday as it is stored, and the sort key that names it. */
export type StoredShadow = Shadow & { readonly sk: string };

const pageLimit = 100;

/** Returns all circuits, time programs and the holiday of a gateway, strongly consistent, without the other rows. */
export const readShadows = async (store: Store, gatewayId: string): Promise<StoredShadow[]> => {
  const pages = await Promise.all(
    ['CIRCUIT#', 'PROGRAM#', holidayItemKey(gatewayId).sk].map((prefix) =>
      readAllPages(async (after) => {
        const page = { limit: pageLimit, after };
        const { items, hasMore } = await queryPartition(store, 'Appliances', { partition: gatewayId, prefix }, page);
        const last = hasMore ? items.at(-1) : undefined;
        return { Items: [...items], LastEvaluatedKey: last && { gatewayId, sk: last.sk } };
      }),
    ),
  );
  return pages.flat() as object[] as StoredShadow[];
};
