import { createHash } from 'node:crypto';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { idempotencyHours } from '../../api/limits.ts';
import type { Store } from '../store/store.ts';
import type { TransactItem } from '../store/transaction.ts';

/** Identifies a request: its company, the key that authenticated it and the value that it brought. */
export type RequestIdentity = { readonly companyId: string; readonly keyId: string; readonly value: string };

/** What a repeat needs, beside the key that authenticates it, to make the same key again; the key itself is nowhere. */
export type IdempotencyRecord = { readonly salt: Uint8Array; readonly createdAtMs: number };

const lifetimeMs = idempotencyHours * 3_600_000;

/** The record of a request of the last 24 hours; an older one counts as absent, whenever DynamoDB removes it. */
export const findIdempotencyRecord = async (
  store: Store,
  request: RequestIdentity,
  nowMs: number,
): Promise<IdempotencyRecord | undefined> => {
  const command = { TableName: store.tableName('IdempotencyRecords'), Key: itemKey(request), ConsistentRead: true };
  const { Item } = await store.send(new GetCommand(command));
  const record = Item as IdempotencyRecord | undefined;
  return record && record.createdAtMs > nowMs - lifetimeMs ? record : undefined;
};

/** The part of a creation's transaction that lets only one of equal requests through. */
export const putIdempotencyRecord = (
  store: Store,
  request: RequestIdentity,
  { salt, createdAtMs }: IdempotencyRecord,
): TransactItem => ({
  Put: {
    TableName: store.tableName('IdempotencyRecords'),
    Item: { ...itemKey(request), salt, createdAtMs, removeAt: Math.ceil((createdAtMs + lifetimeMs) / 1000) },
    ConditionExpression: 'attribute_not_exists(sk) OR createdAtMs <= :outlived',
    ExpressionAttributeValues: { ':outlived': createdAtMs - lifetimeMs },
  },
});

/** Holds the value's hash: a value may be long, and who reads the table does not learn it. */
const itemKey = ({ companyId, keyId, value }: RequestIdentity) => ({
  companyId,
  sk: `${keyId}#${createHash('sha256').update(value).digest('hex')}`,
});
