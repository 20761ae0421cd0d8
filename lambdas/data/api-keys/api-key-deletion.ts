import type { KeyOptions, StoredApiKey } from '../../domain/api-key.ts';
import { type AuditContext, auditPut, putKeyTombstone } from '../audit.ts';
import { again, retryingFrom } from '../store/attempts.ts';
import type { Store } from '../store/store.ts';
import { type TransactItem, transact } from '../store/writes.ts';
import { type CallerKeyLost, callerKeyCheck, callerKeyLost, findApiKey, keyItemKey, slotItemKey } from './api-keys.ts';

type Deletion = { readonly outcome: 'deleted' | 'api-key-not-found' } | CallerKeyLost;

/**
 * Deletes a key of the audit context's company, and frees its slot. One transaction checks that the caller's own key is still
 * valid and that the target exists, writes a tombstone, and frees the slot or checks that the target does not hold it.
 */
export const deleteApiKey = async (store: Store, auditContext: AuditContext, keyId: string): Promise<Deletion> => {
  const { companyId, nowMs, actorKey } = auditContext;
  const target = await findApiKey(store, companyId, keyId);
  if (!target) return { outcome: 'api-key-not-found' };

  // The first attempt assumes that the key holds its slot, and each further one the opposite of the one before: an expired key
  // may have lost its slot to another one, and a restore may bring a slot back.
  return retryingFrom(true, { to: `delete key ${keyId}`, atMost: 3 }, async (holdsSlot) => {
    const failed = await transact(store, {
      ...(actorKey && { callerKey: callerKeyCheck(store, actorKey, nowMs) }),
      target: deleteKey(store, target),
      slot: holdsSlot ? freeSlot(store, target) : slotIsNotHeldBy(store, target),
      audit: auditPut(store, auditContext, { keyId, before: { key: optionsIn(target) } }),
      tombstone: putKeyTombstone(store, target),
    });
    if (!failed) return { outcome: 'deleted' };
    if (failed.name === 'callerKey') return callerKeyLost(failed.old);
    if (failed.name === 'target') return { outcome: 'api-key-not-found' };
    return again(!holdsSlot);
  });
};

const optionsIn = ({ access, allowedCidrs, label }: StoredApiKey): KeyOptions => ({ access, allowedCidrs, label });

const deleteKey = (store: Store, target: StoredApiKey): TransactItem => ({
  Delete: {
    TableName: store.tableName('ApiKeys'),
    Key: keyItemKey(target),
    ConditionExpression: 'attribute_exists(sk)',
  },
});

const freeSlot = (store: Store, { companyId, slot, keyId }: StoredApiKey): TransactItem => ({
  Delete: {
    TableName: store.tableName('ApiKeys'),
    Key: slotItemKey(companyId, slot),
    ConditionExpression: 'keyId = :keyId',
    ExpressionAttributeValues: { ':keyId': keyId },
  },
});

const slotIsNotHeldBy = (store: Store, { companyId, slot, keyId }: StoredApiKey): TransactItem => ({
  ConditionCheck: {
    TableName: store.tableName('ApiKeys'),
    Key: slotItemKey(companyId, slot),
    ConditionExpression: 'attribute_not_exists(sk) OR keyId <> :keyId',
    ExpressionAttributeValues: { ':keyId': keyId },
  },
});
