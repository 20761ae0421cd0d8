import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import {
  type CompanyKeys,
  dueNotice,
  isLastKey,
  isWatched,
  type NoticeDays,
  noticeRemovedAtSeconds,
  toDuration,
  watchedMonths,
} from '../../domain/key-notices.ts';
import { toTimestamp } from '../../domain/time.ts';
import { findCompany } from '../contracts/companies.ts';
import { hasLeft } from '../contracts/contracts.ts';
import { readAllPages } from '../store/reads.ts';
import type { Store } from '../store/store.ts';
import { type TransactItem, transact } from '../store/writes.ts';
import { type Slot, slotItemKey, toSlot } from './api-keys.ts';

type CompanySlot = Slot & { readonly companyId: string };

/** Returns the key slots of each company that has keys to watch and has not left. */
export const readWatchedCompanies = async (store: Store, nowMs: number): Promise<CompanyKeys<CompanySlot>[]> => {
  const months: CompanySlot[][] = [];
  for (const month of watchedMonths(nowMs)) months.push(await readSlotsByExpiryMonth(store, month));
  const slots = months.flat().filter((slot) => isWatched(slot, nowMs));
  const companies = Map.groupBy(slots, ({ companyId }) => companyId);
  const watched: CompanyKeys<CompanySlot>[] = [];
  for (const [companyId, keys] of companies)
    if (!(await hasLeft(store, companyId))) watched.push({ keys, registered: await readRegistered(store, keys) });
  return watched;
};

/** Returns the registered address blocks of a company; it reads them only if one of the keys is limited to addresses. */
const readRegistered = async (store: Store, keys: readonly CompanySlot[]): Promise<readonly string[]> => {
  const limited = keys.find(({ allowedCidrs }) => allowedCidrs !== null);
  return (limited && (await findCompany(store, limited.companyId))?.allowedCidrs) ?? [];
};

/** Stores the notices that are due, and returns how many of them are new. */
export const putDueNotices = async (
  store: Store,
  companies: readonly CompanyKeys<CompanySlot>[],
  nowMs: number,
): Promise<number> => {
  let stored = 0;
  for (const { keys, registered } of companies)
    for (const slot of keys) {
      const days = dueNotice(slot, nowMs);
      if (days === undefined) continue;
      const notice = { slot, days, isLastKey: isLastKey(slot, keys, registered) };
      if (await putNotice(store, notice, nowMs)) stored++;
    }
  return stored;
};

/**
 * Returns the slots of all companies whose key expires in that month (`2036-09`). Reads an index, which may lag a moment
 * behind.
 */
export const readSlotsByExpiryMonth = async (store: Store, month: string): Promise<CompanySlot[]> => {
  const slots = await readAllPages((after) =>
    store.send(
      new QueryCommand({
        TableName: store.tableName('ApiKeys'),
        IndexName: 'byExpiryMonth',
        KeyConditionExpression: 'expiryMonth = :month',
        ExpressionAttributeValues: { ':month': month },
        ExclusiveStartKey: after,
      }),
    ),
  );
  return slots.map(toSlot) as CompanySlot[];
};

export type Notice = { readonly slot: CompanySlot; readonly days: NoticeDays; readonly isLastKey: boolean };

/**
 * Stores a notice; a consumer of the table's stream appends it to the company's feed. One transaction checks that the key still
 * holds its slot, so it was not deleted, and that it has no such notice yet. Resolves to whether the notice was stored.
 */
const putNotice = async (store: Store, notice: Notice, nowMs: number): Promise<boolean> => {
  const failed = await transact(store, { slot: slotIsHeld(store, notice), notice: putNewNotice(store, notice, nowMs) });
  return failed === undefined;
};

const slotIsHeld = (store: Store, { slot: { companyId, slot, keyId } }: Notice): TransactItem => ({
  ConditionCheck: {
    TableName: store.tableName('ApiKeys'),
    Key: slotItemKey(companyId, slot),
    ConditionExpression: 'keyId = :keyId',
    ExpressionAttributeValues: { ':keyId': keyId },
  },
});

const putNewNotice = (store: Store, { slot, days, isLastKey }: Notice, nowMs: number): TransactItem => {
  const { companyId, keyId, expiresAtMs, access, label } = slot;
  const remaining = toDuration(days);
  return {
    Put: {
      TableName: store.tableName('KeyNotices'),
      Item: {
        companyId,
        sk: `${keyId}#${remaining}`,
        keyId,
        access,
        label,
        expiresAt: toTimestamp(expiresAtMs),
        remaining,
        isLastKey,
        noticedAt: toTimestamp(nowMs),
        removeAt: noticeRemovedAtSeconds(slot),
      },
      ConditionExpression: 'attribute_not_exists(sk)',
    },
  };
};
