import { GetCommand, TransactGetCommand } from '@aws-sdk/lib-dynamodb';
import { maxValidKeysPerCompany } from '../../api/limits.ts';
import { isValidAt, type KeyIdentity, type KeyOptions, type StoredApiKey } from '../../domain/api-key.ts';
import { toDate } from '../../domain/time.ts';
import { queryPartition } from '../store/reads.ts';
import type { Store } from '../store/store.ts';
import { type TransactItem, updateIf } from '../store/writes.ts';

/**
 * One partition per company: `KEY#<keyId>#<part of the hash>` is a key's record; `SLOT#0` … `SLOT#9` are the slots for valid
 * keys, each with the id and the expiry of the key that holds it. So an eleventh valid key has no slot, even with concurrent
 * requests. Only a holder of the whole key can compute the sort key of its record: with a wrong secret the store finds nothing,
 * as with an unknown id, and takes as long.
 */
type Item = Record<string, unknown>;

/** Repeats enough of its key to describe the key, and to decide whether it can create another, without reading its record. */
export type Slot = KeyOptions & {
  readonly slot: number;
  readonly keyId: string;
  readonly expiresAtMs: number;
};

export const keyItemKey = ({ companyId, keyId, hash }: KeyIdentity) => ({
  companyId,
  sk: idPrefix(keyId) + Buffer.from(hash).toString('hex', 0, hashPartBytes),
});
export const slotItemKey = (companyId: string, slot: number) => ({ companyId, sk: `${slotPrefix}${slot}` });

const keyPrefix = 'KEY#';
const slotPrefix = 'SLOT#';
const idPrefix = (keyId: string) => `${keyPrefix}${keyId}#`;

/** Enough that no other key matches by chance, but not the whole hash: keys of items appear in traces and errors. */
const hashPartBytes = 8;

export const toKeyItem = (key: StoredApiKey): Item => ({ ...keyItemKey(key), ...key });

export const toStoredApiKey = ({ sk, ...record }: Item): StoredApiKey => record as StoredApiKey;

export const toSlot = (item: Item): Slot => item as unknown as Slot;

/** Returns the record of the key with this id. */
export const findApiKey = async (store: Store, companyId: string, keyId: string): Promise<StoredApiKey | undefined> => {
  const { items } = await queryPartition(store, 'ApiKeys', { partition: companyId, prefix: idPrefix(keyId) });
  return items[0] && toStoredApiKey(items[0]);
};

/** Returns the record of exactly this key. For a wrong key the store does the same work whether or not the key's id exists. */
export const findPresentedKey = async (store: Store, key: KeyIdentity): Promise<StoredApiKey | undefined> => {
  const command = { TableName: store.tableName('ApiKeys'), Key: keyItemKey(key), ConsistentRead: true };
  const { Item } = await store.send(new GetCommand(command));
  return Item && toStoredApiKey(Item);
};

/** Returns a page of the company's keys in the order of their ids; `after` is the last key id of the previous page. */
export const listApiKeys = async (store: Store, companyId: string, limit: number, after?: string) => {
  // After every possible sort key of that id: hexadecimal digits sort before `~`.
  const page = { limit, after: after === undefined ? undefined : { companyId, sk: `${idPrefix(after)}~` } };
  const { items, hasMore } = await queryPartition(store, 'ApiKeys', { partition: companyId, prefix: keyPrefix }, page);
  const keys = items.map(toStoredApiKey);
  return { keys, next: hasMore ? keys.at(-1)?.keyId : undefined };
};

/** Returns the slots whose key is valid at that time. */
export const readTakenSlots = async (store: Store, companyId: string, nowMs: number): Promise<Slot[]> => {
  const { items } = await queryPartition(store, 'ApiKeys', { partition: companyId, prefix: slotPrefix });
  return items.map(toSlot).filter((slot) => isValidAt(slot, nowMs));
};

/** Returns the ids of the keys that hold a slot at that time. Reads all slots at one moment, which a query does not. */
export const readSlotHolders = async (store: Store, companyId: string, nowMs: number): Promise<string[]> => {
  const TableName = store.tableName('ApiKeys');
  const gets = Array.from({ length: maxValidKeysPerCompany }, (_, slot) => slotItemKey(companyId, slot));
  const { Responses = [] } = await store.send(
    new TransactGetCommand({ TransactItems: gets.map((Key) => ({ Get: { TableName, Key } })) }),
  );
  const slots = Responses.flatMap(({ Item }) => (Item ? [toSlot(Item)] : []));
  return slots.filter((slot) => isValidAt(slot, nowMs)).map(({ keyId }) => keyId);
};

/** Returns all keys of the company, expired ones included, in the order of their ids. */
export const readAllApiKeys = async (store: Store, companyId: string): Promise<StoredApiKey[]> => {
  const all: StoredApiKey[] = [];
  let after: string | undefined;
  do {
    const { keys, next } = await listApiKeys(store, companyId, pageLimit, after);
    all.push(...keys);
    after = next;
  } while (after !== undefined);
  return all;
};

const pageLimit = 1000;

/**
 * Records the day of use, once per key and day. Resolves to false if another request has recorded it, or if the key was
 * deleted, which this never undoes.
 */
export const recordKeyUse = async (store: Store, key: StoredApiKey, nowMs: number): Promise<boolean> => {
  const { isApplied } = await updateIf(store, 'ApiKeys', {
    Key: keyItemKey(key),
    UpdateExpression: 'SET lastUsedOn = :today',
    ConditionExpression: 'attribute_exists(sk) AND (lastUsedOn = :never OR lastUsedOn < :today)',
    ExpressionAttributeValues: { ':today': toDate(nowMs), ':never': null },
  });
  return isApplied;
};

/** The key that authenticated the request was deleted, or expired, during the request. */
export type CallerKeyLost = { readonly outcome: 'api-key-invalid' | 'api-key-expired' };

/**
 * The transaction item that checks that the caller's own key is still valid. It protects the last key: if two keys delete each
 * other concurrently, the second deletion fails.
 */
export const callerKeyCheck = (store: Store, caller: KeyIdentity, nowMs: number): TransactItem => ({
  ConditionCheck: {
    TableName: store.tableName('ApiKeys'),
    Key: keyItemKey(caller),
    ConditionExpression: 'attribute_exists(sk) AND expiresAtMs > :now',
    ExpressionAttributeValues: { ':now': nowMs },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  },
});

export const callerKeyLost = (old: Record<string, unknown> | undefined): CallerKeyLost => ({
  outcome: old ? 'api-key-expired' : 'api-key-invalid',
});
