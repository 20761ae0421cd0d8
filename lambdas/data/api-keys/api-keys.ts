import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { type ApiKeyRecord, isValidAt, type PresentedKey } from '../../domain/api-keys/api-key.ts';
import { toDate } from '../../domain/time.ts';
import { queryPartition } from '../store/partition-query.ts';
import type { Store } from '../store/store.ts';

/**
 * One partition per company: `KEY#<keyId>` is a key's record; `SLOT#0` … `SLOT#9` are the places for valid keys, each
 * naming the key that holds it and until when. An eleventh valid key has no place, whatever happens at once.
 */
type Item = Record<string, unknown>;

export type Slot = { readonly slot: number; readonly keyId: string; readonly expiresAtMs: number };

export const keyItemKey = (companyId: string, keyId: string) => ({ companyId, sk: `${keyPrefix}${keyId}` });
export const slotItemKey = (companyId: string, slot: number) => ({ companyId, sk: `${slotPrefix}${slot}` });

const keyPrefix = 'KEY#';
const slotPrefix = 'SLOT#';

export const toKeyItem = (key: ApiKeyRecord): Item => ({ ...keyItemKey(key.companyId, key.keyId), ...key });

export const toApiKeyRecord = ({ sk, ...record }: Item): ApiKeyRecord => record as ApiKeyRecord;

export const findApiKey = async (store: Store, companyId: string, keyId: string): Promise<ApiKeyRecord | undefined> => {
  const command = { TableName: store.tableName('ApiKeys'), Key: keyItemKey(companyId, keyId), ConsistentRead: true };
  const { Item } = await store.send(new GetCommand(command));
  return Item && toApiKeyRecord(Item);
};

/**
 * The record of exactly this key. The store compares the hash, so its answer to a wrong key is the same whether the key's
 * id exists or not, and so is the time that it takes to parse.
 */
export const findPresentedKey = async (
  store: Store,
  { companyId, keyId, hash }: PresentedKey,
): Promise<ApiKeyRecord | undefined> => {
  const command = new QueryCommand({
    TableName: store.tableName('ApiKeys'),
    KeyConditionExpression: 'companyId = :companyId AND sk = :sk',
    FilterExpression: '#hash = :hash',
    ExpressionAttributeNames: { '#hash': 'hash' },
    ExpressionAttributeValues: { ':companyId': companyId, ':sk': keyItemKey(companyId, keyId).sk, ':hash': hash },
    ConsistentRead: true,
  });
  const { Items: [item] = [] } = await store.send(command);
  return item && toApiKeyRecord(item);
};

/** A page of the company's keys in the order of their ids; `after` is the last key id of the page before. */
export const listApiKeys = async (store: Store, companyId: string, limit: number, after?: string) => {
  const page = { limit, after: after === undefined ? undefined : keyItemKey(companyId, after) };
  const { items, hasMore } = await queryPartition(store, 'ApiKeys', companyId, keyPrefix, page);
  const keys = items.map(toApiKeyRecord);
  return { keys, next: hasMore ? keys.at(-1)?.keyId : undefined };
};

/** The slots whose key is valid at that time, each with its key. */
export const readTakenSlots = async (store: Store, companyId: string, nowMs: number): Promise<Slot[]> => {
  const { items } = await queryPartition(store, 'ApiKeys', companyId, slotPrefix);
  return (items as unknown as Slot[]).filter((slot) => isValidAt(slot, nowMs));
};

/**
 * Notes the day of use, once per key and day. Resolves to false if another request has noted it, or the key was deleted,
 * which it never brings back. Throws StoreUnavailableError.
 */
export const recordKeyUse = async (store: Store, key: ApiKeyRecord, nowMs: number): Promise<boolean> => {
  const command = new UpdateCommand({
    TableName: store.tableName('ApiKeys'),
    Key: keyItemKey(key.companyId, key.keyId),
    UpdateExpression: 'SET lastUsedOn = :today',
    ConditionExpression: 'attribute_exists(sk) AND (lastUsedOn = :never OR lastUsedOn < :today)',
    ExpressionAttributeValues: { ':today': toDate(nowMs), ':never': null },
  });
  try {
    await store.send(command);
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
};
