import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { FactTimes } from '../../domain/appliance.ts';
import {
  measurementLifetimeMs,
  type StoredMeasurement,
  type StoredMeasurements,
  withNewer,
} from '../../domain/measurement.ts';
import { again, retryingFrom } from '../store/attempts.ts';
import type { Store } from '../store/store.ts';
import { updateIf } from '../store/writes.ts';
import type { FactOutcome } from './inventory.ts';
import { createItem, type PartsItem, partsPrefix } from './parts-items.ts';

/**
 * The measurements of a gateway, all in one item, so that a report of several costs one write. It has 1 kB, and so one write
 * unit, up to some twenty measurements. In the gateway's partition it sorts after everything that a query for a home or for
 * energy reads.
 */
export type MeasurementsItem = PartsItem<'measurements', StoredMeasurement>;

export const measurementsItemKey = (gatewayId: string) => ({ gatewayId, sk: `${partsPrefix}MEASUREMENTS` }) as const;

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
      const creation = await createItem(store, gatewayId, times.atMs, (removedAtMs) => {
        const measurements = withNewer({}, reported, { removedAtMs, nowMs: receivedAtMs });
        if (!measurements) return undefined;
        const removeAt = removeAtOf(receivedAtMs);
        return { ...measurementsItemKey(gatewayId), measurements, receivedAtMs, removedAtMs, removeAt };
      });
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

/** No measurement is newer than its receipt. */
const removeAtOf = (receivedAtMs: number): number => Math.ceil((receivedAtMs + measurementLifetimeMs) / 1000);

/** Returns the stored measurements of a gateway, eventually consistent: no request of a partner changes them. */
export const readMeasurements = async (store: Store, gatewayId: string): Promise<StoredMeasurements> =>
  (await readItem(store, gatewayId))?.measurements ?? {};
