import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { FactTimes } from '../../domain/appliance.ts';
import { isRemoved } from '../../domain/gateway.ts';
import { measuredSince, measurementLifetimeMs, type StoredMeasurements, withNewer } from '../../domain/measurement.ts';
import { again, retryingFrom } from '../store/attempts.ts';
import type { Store } from '../store/store.ts';
import { type TransactItem, transact, updateIf } from '../store/writes.ts';
import { type FactOutcome, inventoryIsUnchanged, outcomeWithoutGateway, readInventory } from './inventory.ts';

/**
 * The measurements of a gateway, all in one item, so that a report of several costs one write. It has 1 kB, and so one write
 * unit, up to some twenty measurements. In the gateway's partition it sorts after everything that a query for a home or for
 * energy reads.
 */
export type MeasurementsItem = {
  readonly gatewayId: string;
  readonly sk: string;
  readonly measurements: StoredMeasurements;
  /** When this service received the last report that changed the item. */
  readonly receivedAtMs: number;
  /** The last removal of the gateway that was applied to the item: measurements up to this time do not count. */
  readonly removedAtMs: number;
  /** When no measurement is kept any longer, in epoch seconds. */
  readonly removeAt: number;
};

export const measurementsItemKey = (gatewayId: string) => ({ gatewayId, sk: 'REPORTED_MEASUREMENTS' });

/**
 * Stores the measurements of a report that are newer than the stored ones, and deletes measurements that are too old. The first
 * report creates the item. No concurrent report is lost: each write depends on what was read.
 */
export const reportMeasurements = (
  store: Store,
  gatewayId: string,
  reported: StoredMeasurements,
  times: FactTimes,
): Promise<FactOutcome> => {
  const { receivedAtMs } = times;
  // An attempt fails if the item was created, changed or deleted concurrently.
  return retryingFrom(undefined as Known, { to: 'take over measurements', atMost: 10 }, async (known, count) => {
    // If the first read is too old, the condition of the write fails, and the next attempt reads consistently.
    const item = known ?? (await readItem(store, gatewayId, count > 0));
    if (!item) {
      const creation = await create(store, gatewayId, reported, times);
      return creation === 'exists' ? again(undefined) : { outcome: creation };
    }
    const { measurements: seen, removedAtMs } = item;
    const measurements = withNewer(seen, reported, { removedAtMs, nowMs: receivedAtMs });
    if (!measurements) return { outcome: 'stale' };
    const update = await updateIf(store, 'Appliances', {
      Key: measurementsItemKey(gatewayId),
      UpdateExpression: 'SET measurements = :measurements, receivedAtMs = :receivedAt, removeAt = :removeAt',
      ConditionExpression: 'measurements = :seen AND removedAtMs = :seenRemovedAt',
      ExpressionAttributeValues: {
        ':measurements': measurements,
        ':receivedAt': receivedAtMs,
        ':removeAt': removeAtOf(receivedAtMs),
        ':seen': seen,
        ':seenRemovedAt': removedAtMs,
      },
    });
    return update.isApplied ? { outcome: 'applied' } : again(update.item as Known);
  });
};

type Known = MeasurementsItem | undefined;

const readItem = async (store: Store, gatewayId: string, isConsistent = false): Promise<Known> => {
  const { Item } = await store.send(
    new GetCommand({
      TableName: store.tableName('Appliances'),
      Key: measurementsItemKey(gatewayId),
      ConsistentRead: isConsistent,
    }),
  );
  return Item as Known;
};

/**
 * Creates the item if the gateway exists at the time of the report; returns `exists` if another write was faster.
 */
const create = async (store: Store, gatewayId: string, reported: StoredMeasurements, times: FactTimes) => {
  const inventory = await readInventory(store, gatewayId);
  if (!inventory || isRemoved(inventory)) return outcomeWithoutGateway(inventory, times.atMs);
  const { receivedAtMs } = times;
  const { removedAtMs } = inventory;
  const measurements = withNewer({}, reported, { removedAtMs, nowMs: receivedAtMs });
  if (!measurements) return 'stale';
  const removeAt = removeAtOf(receivedAtMs);
  const failed = await transact(store, {
    inventory: inventoryIsUnchanged(store, gatewayId, inventory),
    measurements: {
      Put: {
        TableName: store.tableName('Appliances'),
        Item: { ...measurementsItemKey(gatewayId), measurements, receivedAtMs, removedAtMs, removeAt },
        ConditionExpression: 'attribute_not_exists(sk)',
      },
    },
  });
  return failed ? 'exists' : 'applied';
};

/** A measurement may be a minute newer than its receipt, by the clock of its sender. */
const removeAtOf = (receivedAtMs: number): number => Math.ceil((receivedAtMs + measurementLifetimeMs) / 1000) + 60;

/** Returns the stored measurements of a gateway, eventually consistent: no request of a partner changes them. */
export const readMeasurements = async (store: Store, gatewayId: string): Promise<StoredMeasurements> =>
  (await readItem(store, gatewayId))?.measurements ?? {};

/** Deletes the measurements that were made up to the removal of a gateway; later ones stay. */
export const removeMeasurementsUntil = async (store: Store, gatewayId: string, atMs: number): Promise<void> => {
  const found = await readItem(store, gatewayId, true);
  // An attempt fails if a report or another removal changed the item concurrently.
  return retryingFrom(found, { to: 'remove the measurements of a gateway', atMost: 10 }, async (item) => {
    // A removal of that time or later was already applied, and the item accepts no measurement from before it.
    if (!item || item.removedAtMs >= atMs) return undefined;
    const left = measuredSince(item.measurements, atMs);
    const failed = await transact(store, { measurements: replaceBy(store, item, left, atMs) });
    return failed?.old ? again(failed.old as Known) : undefined;
  });
};

/** The transaction item that replaces the measurements of an item that is as it was read, or deletes the item if none are left. */
const replaceBy = (
  store: Store,
  { gatewayId, sk, measurements: seen, removedAtMs: seenRemovedAtMs }: MeasurementsItem,
  left: StoredMeasurements,
  atMs: number,
): TransactItem => {
  const table = { TableName: store.tableName('Appliances'), Key: { gatewayId, sk } };
  const returned = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;
  if (Object.keys(left).length === 0)
    return {
      Delete: {
        ...table,
        ...returned,
        ConditionExpression: 'measurements = :seen',
        ExpressionAttributeValues: { ':seen': seen },
      },
    };
  return {
    Update: {
      ...table,
      ...returned,
      UpdateExpression: 'SET measurements = :left, removedAtMs = :at',
      ConditionExpression: 'measurements = :seen AND removedAtMs = :seenRemovedAt',
      ExpressionAttributeValues: {
        ':left': left,
        ':at': atMs,
        ':seen': seen,
        ':seenRemovedAt': seenRemovedAtMs,
      },
    },
  };
};
