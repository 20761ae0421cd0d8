import { randomBytes } from 'node:crypto';
import { deriveKey, type NewKey, type PresentedKey } from '../../domain/api-keys/api-key.ts';
import { type AuditContext, auditPut } from '../audit/audit-log.ts';
import { retrying } from '../store/attempts.ts';
import type { Store } from '../store/store.ts';
import { type TransactItem, transact } from '../store/transaction.ts';
import { type Creation, pickFreeSlot, putNewKey, slotAttempts, takeSlot } from './api-key-creation.ts';
import { keyItemKey, readTakenSlots } from './api-keys.ts';
import { type CallerKeyLost, callerKeyCheck, callerKeyLost } from './caller-key.ts';
import { findIdempotencyRecord, putIdempotencyRecord } from './idempotency-records.ts';

/** The request repeats one that was carried out, whose key is shown again; or no more, as it was used or deleted since. */
export type Repeat =
  | { readonly outcome: 'shown-again'; readonly key: NewKey }
  | { readonly outcome: 'idempotency-key-spent' };

const saltBytes = 32;

/**
 * Creates a key as `createApiKey` does, once in 24 hours for the same caller's key and value: a repeat, also one at the
 * same moment, gives the same key until that is used. The transaction holds a record of the request too. Throws
 * StoreUnavailableError.
 */
export const createApiKeyOnce = async (
  store: Store,
  auditContext: AuditContext,
  caller: PresentedKey,
  value: string,
): Promise<Creation | Repeat> => {
  const { companyId, keyId: callerKeyId } = caller;
  const { nowMs } = auditContext;
  const request = { companyId, keyId: callerKeyId, value };
  return retrying<Creation | Repeat>(slotAttempts, async () => {
    // The slots are read first: if an equal request took the last one, its record is seen, and not the limit.
    const takenSlots = await readTakenSlots(store, companyId, nowMs);
    const earlier = await findIdempotencyRecord(store, request, nowMs);
    if (earlier)
      return repeat(store, auditContext, caller, deriveKey(caller, earlier.salt, value, earlier.createdAtMs));
    const slot = pickFreeSlot(takenSlots);
    if (slot === undefined) return { outcome: 'api-key-limit-reached', takenSlots };

    const idempotencyRecord = { salt: randomBytes(saltBytes), createdAtMs: nowMs };
    const key = deriveKey(caller, idempotencyRecord.salt, value, nowMs);
    const { apiKey, ...kept } = key;
    const record = { ...kept, slot, createdByKeyId: callerKeyId, lastUsedOn: null };
    const failed = await transact(store, {
      callerKey: callerKeyCheck(store, caller, nowMs),
      idempotencyRecord: putIdempotencyRecord(store, request, idempotencyRecord),
      slot: takeSlot(store, record, nowMs),
      newKey: putNewKey(store, record),
      audit: auditPut(store, auditContext, { keyId: key.keyId }),
    });
    if (!failed) return { outcome: 'created', key };
    return failed.name === 'callerKey' ? callerKeyLost(failed.old) : undefined;
  });
};

/**
 * Shows the key that the earlier request created once more, on record. The transaction decides: the key is there and was
 * never used, so a first use and a repeat at the same moment have an order.
 */
const repeat = async (
  store: Store,
  auditContext: AuditContext,
  caller: PresentedKey,
  key: NewKey,
): Promise<Repeat | CallerKeyLost> => {
  const asRepeat = { ...auditContext, operation: `${auditContext.operation} repeat` };
  const failed = await transact(store, {
    callerKey: callerKeyCheck(store, caller, auditContext.nowMs),
    unusedKey: unusedKeyCheck(store, key),
    audit: auditPut(store, asRepeat, { keyId: key.keyId }),
  });
  if (!failed) return { outcome: 'shown-again', key };
  return failed.name === 'callerKey' ? callerKeyLost(failed.old) : { outcome: 'idempotency-key-spent' };
};

const unusedKeyCheck = (store: Store, key: NewKey): TransactItem => ({
  ConditionCheck: {
    TableName: store.tableName('ApiKeys'),
    Key: keyItemKey(key),
    ConditionExpression: 'lastUsedOn = :never',
    ExpressionAttributeValues: { ':never': null },
  },
});
