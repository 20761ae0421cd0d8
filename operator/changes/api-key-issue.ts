import { pickFreeSlot, putNewKey, slotAttempts, takeSlot } from '../../lambdas/data/api-keys/api-key-creation.ts';
import { findApiKey, findPresentedKey, readTakenSlots, type Slot } from '../../lambdas/data/api-keys/api-keys.ts';
import { type AuditContext, auditPut } from '../../lambdas/data/audit/audit-log.ts';
import { contractExists } from '../../lambdas/data/contracts/contract-changes.ts';
import { retrying } from '../../lambdas/data/store/attempts.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { transact } from '../../lambdas/data/store/transaction.ts';
import { type ApiKeyRecord, isSameKey, type NewKey } from '../../lambdas/domain/api-keys/api-key.ts';

export type Issue =
  | { readonly outcome: 'issued' | 'contract-not-found' | 'key-id-taken' }
  | { readonly outcome: 'api-key-limit-reached'; readonly takenSlots: readonly Slot[] };

/**
 * Registers a key that the operator has generated, under the same cap as `createApiKey`, and needs no valid key for it.
 * Registering the same key again is `issued` too. Throws StoreUnavailableError.
 */
export const issueApiKey = async (store: Store, auditContext: AuditContext, key: NewKey): Promise<Issue> => {
  const { companyId, nowMs } = auditContext;
  return retrying<Issue>(slotAttempts, async () => {
    const namesake = await findApiKey(store, companyId, key.keyId);
    if (namesake) return { outcome: isSameKey(key, namesake) ? 'issued' : 'key-id-taken' };
    const takenSlots = await readTakenSlots(store, companyId, nowMs);
    const slot = pickFreeSlot(takenSlots);
    if (slot === undefined) return { outcome: 'api-key-limit-reached', takenSlots };

    const record = toRecord(key, slot);
    const failed = await transact(store, {
      contract: contractExists(store, companyId),
      slot: takeSlot(store, record, nowMs),
      newKey: putNewKey(store, record),
      audit: auditPut(store, auditContext, { keyId: key.keyId }),
    });
    if (!failed) return { outcome: 'issued' };
    return failed.name === 'contract' ? { outcome: 'contract-not-found' } : undefined;
  });
};

/** Whether the store knows this very key. */
export const isRegistered = async (store: Store, key: NewKey): Promise<boolean> =>
  isSameKey(key, await findPresentedKey(store, key));

/** What is kept of a key that the operator issues. */
export const toRecord = ({ apiKey, ...kept }: NewKey, slot: number): ApiKeyRecord => ({
  ...kept,
  slot,
  createdByKeyId: null,
  lastUsedOn: null,
});
