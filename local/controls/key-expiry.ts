import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { UserFacingError } from 'serve-stack';
import { findApiKey, keyItemKey, slotItemKey } from '../../lambdas/data/api-keys/api-keys.ts';
import { queryPartition } from '../../lambdas/data/store/reads.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { transact } from '../../lambdas/data/store/writes.ts';
import { toMonth } from '../../lambdas/domain/time.ts';

/**
 * Sets the expiry of a key, in its record and its slot in one transaction, and deletes its expiry notices. No operation of
 * the service changes a key's expiry, so this is the only control that writes to tables.
 */
export const moveExpiry = async (
  store: Store,
  { companyId, keyId }: { readonly companyId: string; readonly keyId: string },
  expiresAtMs: number,
): Promise<void> => {
  const key = await findApiKey(store, companyId, keyId);
  if (!key)
    throw new UserFacingError(`${companyId} has deleted the key of demo.json. Start the run again to get another one.`);
  const TableName = store.tableName('ApiKeys');
  const failed = await transact(store, {
    key: {
      Update: {
        TableName,
        Key: keyItemKey(key),
        UpdateExpression: 'SET expiresAtMs = :at',
        ConditionExpression: 'attribute_exists(sk)',
        ExpressionAttributeValues: { ':at': expiresAtMs },
      },
    },
    slot: {
      Update: {
        TableName,
        Key: slotItemKey(companyId, key.slot),
        UpdateExpression: 'SET expiresAtMs = :at, expiryMonth = :month',
        ConditionExpression: 'keyId = :keyId',
        ExpressionAttributeValues: { ':at': expiresAtMs, ':month': toMonth(expiresAtMs), ':keyId': keyId },
      },
    },
  });
  if (failed)
    throw new UserFacingError(
      `The key of ${companyId} has expired, and another key has its place. Start the run again.`,
    );
  const { items } = await queryPartition(store, 'KeyNotices', { partition: companyId, prefix: `${keyId}#` });
  for (const { sk } of items)
    await store.send(new DeleteCommand({ TableName: store.tableName('KeyNotices'), Key: { companyId, sk } }));
};
