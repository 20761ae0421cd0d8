import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { FamilyName } from '../../api/endpoints/circuit-endpoints.ts';
import type { ApplianceFeature } from '../../api/schemas/gateway.ts';
import type { FactTimes, Gateway } from '../../domain/appliance.ts';
import { type DescribedLimits, limitsKey } from '../../domain/circuit-limits.ts';
import type { DescribedCirculation, DescribedCirculations } from '../../domain/circulation.ts';
import { described, factsSince, type Inventory, isRemoved, type ReportedFacts, removed } from '../../domain/gateway.ts';
import { again, retryingFrom } from '../store/attempts.ts';
import type { Store } from '../store/store.ts';
import { type TransactItem, transact, updateIf } from '../store/writes.ts';
import { circuitItemKey, gatewayItemKey, holidayItemKey, readShadows, type StoredShadow } from './appliances.ts';
import { type Fact, type FactsToPut, type GatewayOrder, putFacts, remainingFacts } from './fact-writes.ts';
import {
  changeInventory,
  type FactOutcome,
  type InventoryChange,
  keepLastVersion,
  outcomeWithoutGateway,
  readInventory,
} from './inventory.ts';
import { type Listing, leftOf } from './item-limits.ts';
import { removePartsUntil } from './parts-items.ts';
import { timeProgramItemKey } from './time-programs.ts';

/** A backend's description of a gateway. Properties that it leaves out keep the values of earlier descriptions. */
type GatewayDescription = Pick<Gateway, 'gatewayId'> & {
  readonly [Name in Exclude<keyof typeof undescribed, 'circuitLimits' | 'circulations'>]?: Gateway[Name] | undefined;
} & {
  /** Features that this version does not know yet are stored for one that does. */
  readonly features?: readonly string[] | undefined;
  readonly circuits?:
    | readonly {
        readonly family: FamilyName;
        readonly circuitId: string;
        readonly timeProgramIds?: readonly string[] | undefined;
        readonly limits?: DescribedLimits[string] | undefined;
        /** Only of a hot-water circuit. */
        readonly circulation?: DescribedCirculation | undefined;
      }[]
    | undefined;
};

/** The values of properties that were never described. */
const undescribed = {
  name: '',
  type: '',
  components: [],
  limits: { maxSwitchPoints: 56, maxSwitchPointsPerDay: 8, switchPointRasterMinutes: 10 },
  circuitLimits: {},
  circulations: {},
  timeZone: null,
} as const satisfies Partial<Gateway>;

/**
 * Stores what a gateway is and which circuits and time programs it has, and deletes those that are no longer listed. The newest
 * description wins, and one from before a removal does not bring the gateway back. From an older description, only what was
 * absent at its time counts.
 */
export const describeGateway = async (
  store: Store,
  description: GatewayDescription,
  times: FactTimes,
): Promise<FactOutcome> => {
  const { gatewayId } = description;
  const listing = listingOf(description);
  const told = await changeInventory(store, gatewayId, (inventory) => {
    const known = leftOf(latestAbsentFirst(inventory), listing);
    const next = described(inventory, [...new Set([...known, ...listing.listed])], times.atMs);
    return next.describedAtMs > inventory.describedAtMs
      ? { outcome: 'applied', next, gateway: putNameplate(store, description, inventory, times) }
      : { outcome: 'stale', next };
  });
  await deleteAbsentShadows(store, gatewayId, (sks) => leftOf(sks, listing), times.atMs);
  return told;
};

const listingOf = (description: GatewayDescription): Listing => {
  const { gatewayId, circuits } = description;
  const open = (circuits ?? []).filter(({ timeProgramIds }) => timeProgramIds === undefined);
  const openPrefixes = open.map(({ family, circuitId }) => timeProgramItemKey(gatewayId, family, circuitId, '').sk);
  const { sk: holidaySk } = holidayItemKey(gatewayId);
  return {
    listed: new Set(sortKeysOf(description)),
    isOpen: (sk) =>
      sk !== holidaySk && (circuits === undefined || openPrefixes.some((prefix) => sk.startsWith(prefix))),
  };
};

/** The order matters only for time programs beyond the limit, which are forgotten. */
const latestAbsentFirst = ({ absentAtMs }: Inventory): string[] =>
  Object.keys(absentAtMs).toSorted((one, other) => Number(absentAtMs[other]) - Number(absentAtMs[one]));

const sortKeysOf = ({ gatewayId, circuits = [], features = [] }: GatewayDescription): string[] => [
  ...circuits.flatMap(({ family, circuitId, timeProgramIds = [], circulation }) => [
    circuitItemKey(gatewayId, family, circuitId).sk,
    ...[...timeProgramIds, ...(circulation ? [circulation.timeProgramId] : [])].map(
      (timeProgramId) => timeProgramItemKey(gatewayId, family, circuitId, timeProgramId).sk,
    ),
  ]),
  ...(features.includes('holidays' satisfies ApplianceFeature) ? [holidayItemKey(gatewayId).sk] : []),
];

/** A gateway that did not exist begins with the facts that its last removal has kept; older facts are rejected. */
const putNameplate = (
  store: Store,
  { gatewayId, circuits, features = [], ...named }: GatewayDescription,
  { removedAtMs, facts = {} }: Inventory,
  { atMs: describedAtMs, receivedAtMs }: FactTimes,
): TransactItem => {
  const ofCircuits = circuits && { circuitLimits: circuitLimitsOf(circuits), circulations: circulationsOf(circuits) };
  const described = { ...named, ...ofCircuits };
  const nameplate = Object.entries({
    ...undescribed,
    ...described,
    features,
    describedAtMs,
    removedAtMs,
    receivedAtMs,
  });
  const isKept = (name: string) => Object.hasOwn(undescribed, name) && !Object.hasOwn(described, name);
  const setOf = (name: string) =>
    isKept(name) ? `#${name} = if_not_exists(#${name}, :${name})` : `#${name} = :${name}`;
  return {
    Update: {
      TableName: store.tableName('Appliances'),
      Key: gatewayItemKey(gatewayId),
      UpdateExpression: `SET facts = if_not_exists(facts, :facts), ${nameplate.map(([name]) => setOf(name)).join(', ')}`,
      ExpressionAttributeNames: Object.fromEntries(nameplate.map(([each]) => [`#${each}`, each])),
      ExpressionAttributeValues: Object.fromEntries([
        [':facts', facts],
        ...nameplate.map(([each, value]) => [`:${each}`, value]),
      ]),
    },
  };
};

/** Returns limits for every circuit if one circuit has its own, so that a holiday is checked against each. */
const circuitLimitsOf = (circuits: NonNullable<GatewayDescription['circuits']>): DescribedLimits =>
  circuits.some(({ limits }) => limits)
    ? Object.fromEntries(circuits.map(({ family, circuitId, limits = {} }) => [limitsKey(family, circuitId), limits]))
    : {};

const circulationsOf = (circuits: NonNullable<GatewayDescription['circuits']>): DescribedCirculations =>
  Object.fromEntries(
    circuits.flatMap(({ family, circuitId, circulation }) =>
      family === 'dhw' && circulation ? [[limitsKey(family, circuitId), circulation]] : [],
    ),
  );

/**
 * Removes a gateway, and everything that existed up to the time of its removal. Facts from before the removal that arrive later
 * do not bring it back, even if the gateway was installed again meanwhile.
 */
export const removeGateway = async (
  store: Store,
  gatewayId: string,
  times: FactTimes,
  mark: Pick<Inventory, 'isErased'> = {},
): Promise<FactOutcome> => {
  const told = await changeInventory(store, gatewayId, async (inventory) => {
    const next = { ...removed(inventory, times.atMs), ...mark };
    return next.removedAtMs > inventory.removedAtMs
      ? removeUntil(store, gatewayId, next, times)
      : { outcome: 'stale', next };
  });
  await deleteAbsentShadows(store, gatewayId, () => [], times.atMs);
  await removePartsUntil(store, gatewayId, times.atMs);
  return told;
};

/**
 * Deletes all facts up to the removal from the gateway, if it still is as it was read. Later facts are kept, in the inventory
 * if the gateway itself is deleted, for its next description.
 */
const removeUntil = async (
  store: Store,
  gatewayId: string,
  next: Inventory,
  { atMs, receivedAtMs }: FactTimes,
): Promise<InventoryChange> => {
  const table = { TableName: store.tableName('Appliances'), Key: gatewayItemKey(gatewayId) };
  const { Item: gateway } = await store.send(new GetCommand({ ...table, ConsistentRead: true }));
  const facts = factsSince(gateway?.facts ?? next.facts ?? {}, atMs);
  const values = { ':seen': gateway?.facts };
  const asRead = { ...table, ConditionExpression: 'facts = :seen' };
  if (isRemoved(next))
    return {
      outcome: 'applied',
      next: { ...next, facts },
      gateway: gateway && { Delete: { ...asRead, ExpressionAttributeValues: values } },
    };
  return {
    outcome: 'applied',
    next,
    gateway: gateway && {
      Update: {
        ...asRead,
        UpdateExpression: 'SET facts = :facts, removedAtMs = :at, receivedAtMs = :receivedAt',
        ExpressionAttributeValues: { ...values, ':facts': facts, ':at': atMs, ':receivedAt': receivedAtMs },
      },
    },
  };
};

/**
 * Stores facts that are reported of a running gateway. Each fact counts separately, if it is newer than the stored one and than
 * the last removal of the gateway. A new fault needs room, for which another one may be deleted.
 */
export const reportFacts = (
  store: Store,
  gatewayId: string,
  told: ReportedFacts,
  times: FactTimes,
): Promise<FactOutcome> => {
  const all: Fact[] = Object.entries(told).map(([name, fact]) => [name, { ...times, ...fact }]);
  // An attempt fails if a newer fact is stored, which the next attempt leaves out, or if a new fault has no room.
  const first: FactsToPut = { facts: all };
  return retryingFrom(first, { to: 'change a gateway', atMost: 5 }, async (toPut) => {
    const { isApplied, item } = await updateIf(store, 'Appliances', {
      Key: gatewayItemKey(gatewayId),
      ...putFacts(toPut),
    });
    if (isApplied) return { outcome: 'applied' };
    if (!item) return { outcome: outcomeWithoutGateway(await readInventory(store, gatewayId), times.atMs) };
    const next = remainingFacts(toPut.facts, item as GatewayOrder);
    return next.facts.length > 0 ? again(next) : { outcome: 'stale' };
  });
};

/**
 * Deletes the circuits, time programs and holiday of a gateway that did not exist at a time, unless they have a newer report.
 * `leftAmong` receives their sort keys, the newest report first, and returns those that existed.
 */
const deleteAbsentShadows = async (
  store: Store,
  gatewayId: string,
  leftAmong: (sks: readonly string[]) => readonly string[],
  atMs: number,
): Promise<void> => {
  const shadows = await readShadows(store, gatewayId);
  const newestFirst = shadows.toSorted((one, other) => other.reportedAtMs - one.reportedAtMs).map(({ sk }) => sk);
  const left = new Set(leftAmong(newestFirst));
  for (const shadow of shadows) if (!left.has(shadow.sk)) await deleteUnlessNewer(store, gatewayId, shadow, atMs);
};

/** Retries after a concurrent requested change, which is deleted with its item, and stops at a newer report. */
const deleteUnlessNewer = (store: Store, gatewayId: string, found: StoredShadow, atMs: number): Promise<void> =>
  // An attempt fails if a requested change or a report came concurrently.
  retryingFrom(found, { to: 'delete an item', atMost: 10 }, async ({ sk, version, reportedAtMs }) => {
    if (reportedAtMs > atMs) return;
    await keepLastVersion(store, gatewayId, version);
    const failed = await transact(store, {
      item: {
        Delete: {
          TableName: store.tableName('Appliances'),
          Key: { gatewayId, sk },
          ConditionExpression: 'reportedAtMs <= :at AND version = :seen',
          ExpressionAttributeValues: { ':at': atMs, ':seen': version },
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        },
      },
    });
    return failed?.old ? again(failed.old as object as StoredShadow) : undefined;
  });
