import { randomBytes } from 'node:crypto';
import { deriveKey, isSameKey, type PresentedKey } from '../../domain/api-keys/api-key.ts';
import { type AuditContext, auditPut } from '../audit/audit-log.ts';
import type { Store } from '../store/store.ts';
import { StoreUnavailableError } from '../store/store-errors.ts';
import { transact } from '../store/transaction.ts';
import { type Creation, maxAttempts, pickFreeSlot, putNewKey, takeSlot } from './api-key-creation.ts';
import { findApiKey, readTakenSlots } from './api-keys.ts';
import { callerKeyCheck, callerKeyLost } from './caller-key.ts';
import { findIdempotencyRecord, type IdempotencyRecord, putIdempotencyRecord } from './idempotency-records.ts';

/** The request was carried out, and the key that it created was deleted since. */
export type Spent = { readonly outcome: 'idempotency-key-spent' };

const saltBytes = 32;

/**
 * Creates a key as `createApiKey` does, once in 24 hours for the same caller's key and value: a repeat, also one at the
 * same moment, gives the same key. The transaction holds a record of the request too. Throws StoreUnavailableError.
 */
export const createApiKeyOnce = async (
  store: Store,
  auditContext: AuditContext,
  caller: PresentedKey,
  value: string,
): Promise<Creation | Spent> => {
  const { companyId, keyId: callerKeyId } = caller;
  const { nowMs } = auditContext;
  const request = { companyId, keyId: callerKeyId, value };
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    // The slots are read first: if an equal request took the last one, its record is seen, and not the limit.
    const takenSlots = await readTakenSlots(store, companyId, nowMs);
    const earlier = await findIdempotencyRecord(store, request, nowMs);
    if (earlier) return repeat(store, caller, value, earlier);
    const slot = pickFreeSlot(takenSlots);
    if (slot === undefined) return { outcome: 'api-key-limit-reached', takenSlots };

    const idempotencyRecord = { salt: randomBytes(saltBytes), createdAtMs: nowMs };
    const key = deriveKey(caller, idempotencyRecord.salt, value, nowMs);
    const { apiKey, ...kept } = key;
    const record = { ...kept, companyId, slot, createdByKeyId: callerKeyId, lastUsedOn: null };
    const failed = await transact(store, {
      callerKey: callerKeyCheck(store, auditContext, callerKeyId),
      idempotencyRecord: putIdempotencyRecord(store, request, idempotencyRecord),
      slot: takeSlot(store, record, nowMs),
      newKey: putNewKey(store, record),
      audit: auditPut(store, auditContext, { keyId: key.keyId }),
    });
    if (!failed) return { outcome: 'created', key };
    if (failed.name === 'callerKey') return callerKeyLost(failed.old);
  }
  throw new StoreUnavailableError(`No slot could be taken in ${maxAttempts} attempts.`);
};

/** The key that the earlier request created, if it has not been deleted since. */
const repeat = async (store: Store, caller: PresentedKey, value: string, earlier: IdempotencyRecord) => {
  const key = deriveKey(caller, earlier.salt, value, earlier.createdAtMs);
  const isThere = isSameKey(key, await findApiKey(store, caller.companyId, key.keyId));
  return isThere ? ({ outcome: 'created', key } as const) : ({ outcome: 'idempotency-key-spent' } as const);
};
