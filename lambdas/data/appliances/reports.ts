import { type FactTimes, isFulfilledBy, type Refusal, type Shadow } from '../../domain/appliance.ts';
import { absentAt, isRemoved } from '../../domain/gateway.ts';
import { retrying } from '../store/attempts.ts';
import type { Store } from '../store/store.ts';
import { transact, updateIf } from '../store/writes.ts';
import type { ApplianceItemKey } from './appliances.ts';
import { type FactOutcome, inventoryIsUnchanged, outcomeWithoutGateway, readInventory } from './inventory.ts';
import { fulfilled } from './open-changes.ts';

export type Report = {
  readonly reported: object;
  /** The version of the requested change that the appliance has fulfilled, where the gateway tells it. */
  readonly fulfilsVersion?: number | undefined;
};

/**
 * Takes over what an appliance reports of a circuit or a time program, if it is newer than what is stored. A confirmation
 * counts also when a newer report was faster: then the requested change is fulfilled, and the values stay. The first report of
 * an item creates it, under its ids. Throws StoreUnavailableError.
 */
export const report = (
  store: Store,
  key: ApplianceItemKey,
  ids: Readonly<Record<string, string>>,
  given: Report,
  times: FactTimes,
): Promise<FactOutcome> => {
  const { fulfilsVersion: version } = given;
  // An attempt that fails has met one who created or deleted the item at that moment.
  return retrying({ to: 'take over a report', atMost: 10 }, async () => {
    const outcome =
      version === undefined
        ? await reportWithoutVersion(store, key, given, times)
        : await reportWithVersion(store, key, given, version, times);
    if (outcome !== 'absent') return { outcome };
    const creation = await create(store, key, ids, given, times);
    return creation === 'exists' ? undefined : { outcome: creation };
  });
};

const reportWithoutVersion = async (store: Store, key: ApplianceItemKey, given: Report, times: FactTimes) => {
  const { isApplied, item } = await updateIf(store, 'Appliances', takeOver(key, given, times));
  if (!item) return 'absent';
  const shadow = item as Shadow;
  const isFulfilled = (isApplied || isOfItsTime(shadow, times)) && isFulfilledBy(shadow, given.reported, times.atMs);
  const hasFulfilled = isFulfilled && (await fulfil(store, key, shadow.version, times));
  return isApplied || hasFulfilled ? 'applied' : 'stale';
};

/** A report that is not the newest speaks of the requested change if it was made after it, or was stored a moment ago. */
const isOfItsTime = ({ desiredBy, reportedAtMs }: Shadow, { atMs }: FactTimes): boolean =>
  atMs === reportedAtMs || (desiredBy !== undefined && atMs >= desiredBy.atMs);

const reportWithVersion = async (
  store: Store,
  key: ApplianceItemKey,
  given: Report,
  version: number,
  times: FactTimes,
) => {
  const { isApplied, item } = await updateIf(store, 'Appliances', takeOverAndFulfil(key, given, version, times));
  if (isApplied) return 'applied';
  if (!item) return 'absent';
  const shadow = item as Shadow;
  if (shadow.version < version) return 'version-not-found';
  if (shadow.version === version && (await fulfil(store, key, version, times))) return 'applied';
  // Of a newer requested change it says nothing, and its values count like any others.
  const { isApplied: isTaken } = await updateIf(store, 'Appliances', takeOver(key, given, times));
  return isTaken ? 'applied' : 'stale';
};

const takeOver = (key: ApplianceItemKey, { reported }: Report, { atMs, receivedAtMs }: FactTimes) => ({
  Key: key,
  UpdateExpression: 'SET reported = :reported, reportedAtMs = :at, receivedAtMs = :receivedAt',
  ConditionExpression: 'reportedAtMs < :at',
  ExpressionAttributeValues: { ':reported': reported, ':at': atMs, ':receivedAt': receivedAtMs },
});

const takeOverAndFulfil = (
  key: ApplianceItemKey,
  { reported }: Report,
  version: number,
  { atMs, receivedAtMs }: FactTimes,
) => ({
  Key: key,
  UpdateExpression: `SET reported = :reported, reportedAtMs = :at, receivedAtMs = :receivedAt ${fulfilled}`,
  ConditionExpression: 'reportedAtMs < :at AND version = :version',
  ExpressionAttributeValues: { ':reported': reported, ':at': atMs, ':receivedAt': receivedAtMs, ':version': version },
});

/** Takes away the requested change of this version; returns whether it was still open. */
const fulfil = async (
  store: Store,
  key: ApplianceItemKey,
  version: number,
  { receivedAtMs }: FactTimes,
): Promise<boolean> => {
  const { isApplied } = await updateIf(store, 'Appliances', {
    Key: key,
    UpdateExpression: `SET receivedAtMs = :receivedAt ${fulfilled}`,
    ConditionExpression: 'version = :version AND attribute_exists(desired)',
    ExpressionAttributeValues: { ':version': version, ':receivedAt': receivedAtMs },
  });
  return isApplied;
};

/** Creates the item if its gateway has it at the time of the report; `exists` if somebody was faster. */
const create = async (
  store: Store,
  key: ApplianceItemKey,
  ids: Readonly<Record<string, string>>,
  { reported, fulfilsVersion = 0 }: Report,
  { atMs: reportedAtMs, receivedAtMs }: FactTimes,
) => {
  const inventory = await readInventory(store, key.gatewayId);
  if (!inventory || isRemoved(inventory)) return outcomeWithoutGateway(inventory, reportedAtMs);
  if (reportedAtMs <= absentAt(inventory, key.sk)) return 'stale';
  const version = (inventory.lastVersions[key.sk] ?? 0) + 1;
  if (version < fulfilsVersion) return 'version-not-found';
  const failed = await transact(store, {
    inventory: inventoryIsUnchanged(store, key.gatewayId, inventory),
    item: {
      Put: {
        TableName: store.tableName('Appliances'),
        Item: { ...key, ...ids, reported, reportedAtMs, receivedAtMs, version },
        ConditionExpression: 'attribute_not_exists(sk)',
      },
    },
  });
  return failed ? 'exists' : 'applied';
};

/**
 * The appliance refuses the requested change of a version: it stays pending, and tells why it is not fulfilled. What was
 * fulfilled or requested anew since is not refused. Throws StoreUnavailableError.
 */
export const refuseChange = async (
  store: Store,
  key: ApplianceItemKey,
  { version, reason, detail }: Omit<Refusal, keyof FactTimes>,
  times: FactTimes,
): Promise<FactOutcome> => {
  const { isApplied, item } = await updateIf(store, 'Appliances', {
    Key: key,
    UpdateExpression: 'SET lastRefusal = :refusal',
    ConditionExpression:
      'version = :version AND attribute_exists(desired) AND (attribute_not_exists(lastRefusal) OR lastRefusal.atMs < :at)',
    ExpressionAttributeValues: {
      ':refusal': { version, reason, detail, ...times },
      ':version': version,
      ':at': times.atMs,
    },
  });
  if (isApplied) return { outcome: 'applied' };
  if (item) return { outcome: (item as Shadow).version < version ? 'version-not-found' : 'stale' };
  return outcomeWithoutItem(store, key, times.atMs);
};

const outcomeWithoutItem = async (
  store: Store,
  { gatewayId, sk }: ApplianceItemKey,
  atMs: number,
): Promise<FactOutcome> => {
  const inventory = await readInventory(store, gatewayId);
  if (!inventory || isRemoved(inventory)) return { outcome: outcomeWithoutGateway(inventory, atMs) };
  return { outcome: atMs <= absentAt(inventory, sk) ? 'stale' : 'version-not-found' };
};
