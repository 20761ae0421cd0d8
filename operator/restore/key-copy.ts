import { isDeepStrictEqual } from 'node:util';
import { pickFreeSlot, putNewKey, takeSlot } from '../../lambdas/data/api-keys/api-key-creation.ts';
import {
  findApiKey,
  keyItemKey,
  readTakenSlots,
  type Slot,
  toApiKeyRecord,
} from '../../lambdas/data/api-keys/api-keys.ts';
import { auditPut } from '../../lambdas/data/audit/audit-log.ts';
import { neverDeletedCheck } from '../../lambdas/data/audit/deletion-marks.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { type TransactItem, transact } from '../../lambdas/data/store/transaction.ts';
import { type ApiKeyRecord, isValidAt } from '../../lambdas/domain/api-keys/api-key.ts';
import { type CopyTools, type DecideOnRow, putInPlaceOf, type RowDecision, type RowPair, same } from './row-copy.ts';

/** Decides on a row of ApiKeys: a key that was deleted on record stays deleted, and ten valid keys stay the most. */
export const decideOnKey = async (tools: CopyTools, { restored, own }: RowPair): ReturnType<DecideOnRow> => {
  const { keyId, companyId } = restored as { keyId: string; companyId: string };
  const { deletedKeys } = await tools.records.of(companyId);
  if (deletedKeys.has(keyId)) return isKey(restored) ? deleted(companyId, keyId) : same;
  if (!isKey(restored)) return own ? same : decideOnSlot(tools, restored as unknown as CompanySlot);
  if (!own) return decideOnLostKey(tools, toApiKeyRecord(restored));
  // The day of use goes on without an audit row, and a key that came back may have another place.
  const row = { ...restored, lastUsedOn: own.lastUsedOn, slot: own.slot };
  return isDeepStrictEqual(row, own)
    ? same
    : copied(tools, companyId, keyId, { key: putInPlaceOf(tools.store, 'ApiKeys', row, own) });
};

type CompanySlot = Slot & { readonly companyId: string };

const isKey = ({ sk }: RowPair['restored']) => String(sk).startsWith('KEY#');

const deleted = (companyId: string, keyId: string): RowDecision => ({
  kind: 'left',
  what: `key ${keyId} of ${companyId}`,
  why: 'deleted on record',
});

/** The place of a key that is still there, unless another has taken it; that of a lost key comes back with the key. */
const decideOnSlot = async (tools: CopyTools, { companyId, slot, keyId }: CompanySlot): ReturnType<DecideOnRow> => {
  const key = await findApiKey(tools.store, companyId, keyId);
  if (!key || key.slot !== slot || !isValidAt(key, tools.nowMs)) return same;
  return copied(tools, companyId, keyId, {
    key: keyIsIn(tools.store, key),
    slot: takeSlot(tools.store, key, tools.nowMs),
  });
};

/** A key that is deleted meanwhile takes no place any more. */
const keyIsIn = (store: Store, key: ApiKeyRecord): TransactItem => ({
  ConditionCheck: {
    TableName: store.tableName('ApiKeys'),
    Key: keyItemKey(key),
    ConditionExpression: 'slot = :slot',
    ExpressionAttributeValues: { ':slot': key.slot },
  },
});

const decideOnLostKey = async (tools: CopyTools, key: ApiKeyRecord): ReturnType<DecideOnRow> => {
  const { store, nowMs } = tools;
  // Another run may have copied it meanwhile, and its company may have deleted it then.
  const mark = neverDeletedCheck(store, key.companyId, key.keyId);
  if (!isValidAt(key, nowMs)) return copied(tools, key.companyId, key.keyId, { mark, key: putNewKey(store, key) });
  const slot = slotFor(key, await readTakenSlots(store, key.companyId, nowMs));
  if (slot === undefined)
    return { kind: 'left', what: `key ${key.keyId} of ${key.companyId}`, why: 'ten other keys are valid' };
  const placed = { ...key, slot };
  return copied(tools, key.companyId, key.keyId, {
    mark,
    slot: takeOwnSlot(store, placed, nowMs),
    key: putNewKey(store, placed),
  });
};

const slotFor = ({ slot, keyId }: ApiKeyRecord, taken: readonly Slot[]): number | undefined => {
  const isFree = taken.every((each) => each.slot !== slot || each.keyId === keyId);
  return isFree ? slot : pickFreeSlot(taken);
};

const copied =
  ({ store, auditContext }: CopyTools, companyId: string, keyId: string, items: Record<string, TransactItem>) =>
  async () => {
    const audit = auditPut(store, await auditContext(companyId), { keyId });
    return !(await transact(store, { ...items, audit }));
  };

/** Takes the place for a key that may hold it already. */
const takeOwnSlot = (store: Store, key: ApiKeyRecord, nowMs: number): TransactItem => {
  const { Put } = takeSlot(store, key, nowMs);
  return {
    Put: {
      ...Put,
      ConditionExpression: `${Put.ConditionExpression} OR keyId = :keyId`,
      ExpressionAttributeValues: { ...Put.ExpressionAttributeValues, ':keyId': key.keyId },
    },
  };
};
