import { randomUUID } from 'node:crypto';
import {
  ConditionalCheckFailedException,
  TransactionCanceledException,
  TransactionInProgressException,
} from '@aws-sdk/client-dynamodb';
import {
  PutCommand,
  type PutCommandInput,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { TableName } from '../../api/tables.ts';
import { backOff, StoreUnavailableError } from './attempts.ts';
import type { Store } from './store.ts';

export type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/**
 * The item whose condition did not hold, and its attributes then; undefined if it was absent, or the write did not ask for
 * them.
 */
export type FailedCondition<Name> = { readonly name: Name; readonly old: Record<string, unknown> | undefined };

/** With the waits between them, the attempts take 1.6 s on average, which is within the deadline of a request. */
const maxAttempts = 12;

/**
 * Writes all of the named items or none. Returns the first item whose condition did not hold, or undefined if everything was
 * written. Retries after a conflict with another writer, under the same client token, so that the write applies once. Throws
 * StoreUnavailableError if every attempt meets a conflict.
 */
export const transact = async <Name extends string>(
  store: Store,
  items: Readonly<Partial<Record<Name, TransactItem>>>,
): Promise<FailedCondition<Name> | undefined> => {
  const command = { TransactItems: Object.values(items) as TransactItem[], ClientRequestToken: randomUUID() };
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    if (attempt > 0) await backOff(attempt - 1);
    try {
      await store.send(new TransactWriteCommand(command));
      return undefined;
    } catch (error) {
      const failed = failedConditionOf(error, Object.keys(items) as Name[]);
      if (failed) return failed;
      if (!isContention(error)) throw error;
    }
  }
  throw new StoreUnavailableError(`A transaction met conflicts in ${maxAttempts} attempts.`);
};

const failedConditionOf = <Name>(error: unknown, names: Name[]): FailedCondition<Name> | undefined => {
  if (!(error instanceof TransactionCanceledException)) return undefined;
  // The document client does not unmarshall the items of errors.
  for (const [index, { Code, Item }] of (error.CancellationReasons ?? []).entries())
    if (Code === 'ConditionalCheckFailed') return { name: names[index] as Name, old: Item && unmarshall(Item) };
  return undefined;
};

const passing = new Set(['None', 'TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded']);

const isContention = (error: unknown): boolean =>
  error instanceof TransactionInProgressException ||
  (error instanceof TransactionCanceledException &&
    (error.CancellationReasons ?? []).every(({ Code }) => passing.has(Code ?? 'None')));

type Item = Readonly<Record<string, unknown>>;

type SeenItem = {
  /** All of these attributes are compared, not only those that change: a decision on one may depend on another. */
  readonly seen: object;
  readonly change: object;
};

/** Returns the condition that an item still is as it was read. */
export const asSeen = (seen: object) => {
  const compared = Object.entries(seen);
  return {
    ConditionExpression: compared.map((_, index) => `#seen${index} = :seen${index}`).join(' AND '),
    ExpressionAttributeNames: Object.fromEntries(compared.map(([name], index) => [`#seen${index}`, name])),
    ExpressionAttributeValues: Object.fromEntries(compared.map(([, value], index) => [`:seen${index}`, value])),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  };
};

/** The transaction item that sets attributes of an item. It fails if the item has changed since it was read. */
export const updateIfAsSeen = (
  store: Store,
  table: TableName,
  Key: Record<string, unknown>,
  { seen, change }: SeenItem,
): TransactItem => {
  const changed = Object.entries(change);
  const condition = asSeen(seen);
  return {
    Update: {
      TableName: store.tableName(table),
      Key,
      UpdateExpression: `SET ${changed.map((_, index) => `#set${index} = :set${index}`).join(', ')}`,
      ...condition,
      ExpressionAttributeNames: {
        ...Object.fromEntries(changed.map(([name], index) => [`#set${index}`, name])),
        ...condition.ExpressionAttributeNames,
      },
      ExpressionAttributeValues: {
        ...Object.fromEntries(changed.map(([, value], index) => [`:set${index}`, value])),
        ...condition.ExpressionAttributeValues,
      },
    },
  };
};

export type GuardedWrite =
  /** The item after the write. */
  | { readonly isApplied: true; readonly item: Item }
  /** The item that did not meet the condition; undefined if it is absent. */
  | { readonly isApplied: false; readonly item: Item | undefined };

type Conditional<Input> = Input & { readonly ConditionExpression: string };

/** Updates an item if its condition holds. */
export const updateIf = (
  store: Store,
  table: TableName,
  update: Conditional<Omit<UpdateCommandInput, 'TableName'>>,
): Promise<GuardedWrite> =>
  unlessConditionFails(async () => {
    const TableName = store.tableName(table);
    const command = { TableName, ReturnValues: 'ALL_NEW', ...returnOnFailure, ...update } as const;
    const { Attributes = {} } = await store.send(new UpdateCommand(command));
    return Attributes;
  });

/** Replaces or creates an item of any table if its condition holds. */
export const putIf = (
  store: Pick<Store, 'send'>,
  put: Conditional<PutCommandInput> & { readonly Item: Item },
): Promise<GuardedWrite> =>
  unlessConditionFails(async () => {
    await store.send(new PutCommand({ ...returnOnFailure, ...put }));
    return put.Item;
  });

const returnOnFailure = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;

const unlessConditionFails = async (write: () => Promise<Item>): Promise<GuardedWrite> => {
  try {
    return { isApplied: true, item: await write() };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    // The document client does not unmarshall the items of errors.
    return { isApplied: false, item: error.Item && unmarshall(error.Item) };
  }
};
