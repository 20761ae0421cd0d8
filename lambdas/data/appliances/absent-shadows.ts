import { again, retryingFrom } from '../store/attempts.ts';
import type { Store } from '../store/store.ts';
import { transact } from '../store/transaction.ts';
import { readShadows, type StoredShadow } from './appliances.ts';
import { keepLastVersion } from './inventory-row.ts';

/** Deletes those circuits and time programs of a gateway that were not there at a time, unless something newer is known of them. */
export const deleteAbsentShadows = async (
  store: Store,
  gatewayId: string,
  isAbsent: (sk: string) => boolean,
  atMs: number,
): Promise<void> => {
  for (const shadow of await readShadows(store, gatewayId))
    if (isAbsent(shadow.sk)) await deleteUnlessNewer(store, gatewayId, shadow, atMs);
};

/** An attempt that fails has met a requested change or a report of that moment. */
const atMost = 10;

/** Tries again after a requested change came between, which is lost with its item, and ends at a newer report. */
const deleteUnlessNewer = (store: Store, gatewayId: string, found: StoredShadow, atMs: number): Promise<void> =>
  retryingFrom(found, { to: 'delete an item', atMost }, async ({ sk, version, reportedAtMs }) => {
    if (reportedAtMs > atMs) return;
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
      inventory: keepLastVersion(store, gatewayId, sk, version),
    });
    return failed?.old ? again(failed.old as object as StoredShadow) : undefined;
  });
