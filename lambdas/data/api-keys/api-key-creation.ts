import { maxValidKeysPerCompany } from '../../api/limits.ts';
import { type ApiKeyRecord, generateKey } from '../../domain/api-keys/api-key.ts';
import { toMonth } from '../../domain/time.ts';
import { type AuditContext, auditPut } from '../audit/audit-log.ts';
import { type Attempts, retrying } from '../store/attempts.ts';
import type { Store } from '../store/store.ts';
import { type TransactItem, transact } from '../store/transaction.ts';
import { readTakenSlots, type Slot, slotItemKey, toKeyItem } from './api-keys.ts';
import { type CallerKeyLost, callerKeyCheck, callerKeyLost } from './caller-key.ts';

export type Creation =
  | { readonly outcome: 'created'; readonly key: ReturnType<typeof generateKey> }
  | { readonly outcome: 'api-key-limit-reached'; readonly takenSlots: readonly Slot[] }
  | CallerKeyLost;

/** An attempt that fails has met somebody who took its slot; there are only so many slots to lose. */
export const slotAttempts: Attempts = { to: 'take a slot', atMost: maxValidKeysPerCompany * 2 };

/**
 * Creates a key for the company of the act. One transaction: the caller's own key still holds, a free slot is taken, the
 * record and the audit row are written; so there are never more than ten valid keys. Throws StoreUnavailableError.
 */
export const createApiKey = async (store: Store, auditContext: AuditContext): Promise<Creation> => {
  const { companyId, nowMs, actorKey } = auditContext;
  return retrying(slotAttempts, async () => {
    const takenSlots = await readTakenSlots(store, companyId, nowMs);
    const slot = pickFreeSlot(takenSlots);
    if (slot === undefined) return { outcome: 'api-key-limit-reached', takenSlots };

    const key = generateKey(companyId, nowMs);
    const { apiKey, ...kept } = key;
    const record = { ...kept, slot, createdByKeyId: actorKey?.keyId ?? null, lastUsedOn: null };
    const failed = await transact(store, {
      ...(actorKey && { callerKey: callerKeyCheck(store, actorKey, nowMs) }),
      slot: takeSlot(store, record, nowMs),
      newKey: putNewKey(store, record),
      audit: auditPut(store, auditContext, { keyId: key.keyId }),
    });
    if (!failed) return { outcome: 'created', key };
    return failed.name === 'callerKey' ? callerKeyLost(failed.old) : undefined;
  });
};

/** Any free slot, at random, so that creations at the same moment seldom meet. */
export const pickFreeSlot = (takenSlots: readonly Slot[]): number | undefined => {
  const taken = new Set(takenSlots.map(({ slot }) => slot));
  const free = Array.from({ length: maxValidKeysPerCompany }, (_, slot) => slot).filter((slot) => !taken.has(slot));
  return free[Math.floor(Math.random() * free.length)];
};

export const takeSlot = (store: Store, { companyId, slot, keyId, expiresAtMs }: ApiKeyRecord, nowMs: number) =>
  ({
    Put: {
      TableName: store.tableName('ApiKeys'),
      Item: { ...slotItemKey(companyId, slot), slot, keyId, expiresAtMs, expiryMonth: toMonth(expiresAtMs) },
      ConditionExpression: 'attribute_not_exists(sk) OR expiresAtMs <= :now',
      ExpressionAttributeValues: { ':now': nowMs },
    },
  }) satisfies TransactItem;

export const putNewKey = (store: Store, record: ApiKeyRecord): TransactItem => ({
  Put: {
    TableName: store.tableName('ApiKeys'),
    Item: toKeyItem(record),
    ConditionExpression: 'attribute_not_exists(sk)',
  },
});
