import { pickFreeSlot, putNewKey, takeSlot } from '../../lambdas/data/api-keys/api-key-creation.ts';
import {
  findApiKey,
  keyItemKey,
  readTakenSlots,
  type Slot,
  toStoredApiKey,
} from '../../lambdas/data/api-keys/api-keys.ts';
import { neverDeletedCheck } from '../../lambdas/data/audit.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import type { TransactItem } from '../../lambdas/data/store/writes.ts';
import { isValidAt, type StoredApiKey } from '../../lambdas/domain/api-key.ts';
import { type CopyTools, type DecideOnMissing, notCopied, putBack, same } from './row-copy.ts';

/** The rule of ApiKeys. A key that was deleted since, according to the audit log, stays deleted; ten valid keys are the limit. */
export const decideOnMissingKey: DecideOnMissing = async (tools, restored) => {
  const { keyId, companyId, sk } = restored as { keyId: string; companyId: string; sk: string };
  const isKey = sk.startsWith('KEY#');
  const { deletedKeys } = await tools.records.of(companyId);
  if (deletedKeys.has(keyId))
    return isKey ? notCopied(`key ${keyId} of ${companyId}`, 'deleted according to AuditLog') : same;
  return isKey ? lostKey(tools, toStoredApiKey(restored)) : lostSlot(tools, restored as unknown as CompanySlot);
};

type KeyId = { readonly companyId: string; readonly keyId: string };

type CompanySlot = Slot & KeyId;

const putBackKey = (tools: CopyTools, { companyId, keyId }: KeyId, items: Readonly<Record<string, TransactItem>>) =>
  putBack(tools, { subject: companyId, onRecord: { keyId }, items });

/** Puts back the slot of an existing key, unless another key has taken it. The slot of a lost key is put back with the key. */
const lostSlot = async (tools: CopyTools, { companyId, slot, keyId }: CompanySlot): ReturnType<DecideOnMissing> => {
  const key = await findApiKey(tools.store, companyId, keyId);
  if (!key || key.slot !== slot || !isValidAt(key, tools.nowMs)) return same;
  return putBackKey(tools, key, { key: keyIsIn(tools.store, key), slot: takeSlot(tools.store, key, tools.nowMs) });
};

/** Checks that the key still exists, so that a key deleted meanwhile takes no slot. */
const keyIsIn = (store: Store, key: StoredApiKey): TransactItem => ({
  ConditionCheck: {
    TableName: store.tableName('ApiKeys'),
    Key: keyItemKey(key),
    ConditionExpression: 'slot = :slot',
    ExpressionAttributeValues: { ':slot': key.slot },
  },
});

const lostKey = async (tools: CopyTools, key: StoredApiKey): ReturnType<DecideOnMissing> => {
  const { store, nowMs } = tools;
  // Another run may have copied the key meanwhile, and its company may then have deleted it.
  const tombstone = neverDeletedCheck(store, key.companyId, key.keyId);
  if (!isValidAt(key, nowMs)) return putBackKey(tools, key, { tombstone, key: putNewKey(store, key) });
  const slot = slotFor(key, await readTakenSlots(store, key.companyId, nowMs));
  if (slot === undefined) return notCopied(`key ${key.keyId} of ${key.companyId}`, 'ten other keys are valid');
  const placed = { ...key, slot };
  return putBackKey(tools, key, {
    tombstone,
    slot: takeOwnSlot(store, placed, nowMs),
    key: putNewKey(store, placed),
  });
};

const slotFor = ({ slot, keyId }: StoredApiKey, taken: readonly Slot[]): number | undefined => {
  const isFree = taken.every((each) => each.slot !== slot || each.keyId === keyId);
  return isFree ? slot : pickFreeSlot(taken);
};

/** Takes the slot for a key that may already hold it. */
const takeOwnSlot = (store: Store, key: StoredApiKey, nowMs: number): TransactItem => {
  const { Put } = takeSlot(store, key, nowMs);
  return {
    Put: {
      ...Put,
      ConditionExpression: `${Put.ConditionExpression} OR keyId = :keyId`,
      ExpressionAttributeValues: { ...Put.ExpressionAttributeValues, ':keyId': key.keyId },
    },
  };
};
