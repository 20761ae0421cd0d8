import { randomUUID } from 'node:crypto';
import { TransactionCanceledException, TransactionInProgressException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand, type TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { backOff } from './attempts.ts';
import type { Store } from './store.ts';
import { StoreUnavailableError } from './store-errors.ts';

export type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** The item whose condition did not hold, and its attributes as they were (undefined if it was absent). */
export type FailedCondition<Name> = { readonly name: Name; readonly old: Record<string, unknown> | undefined };

/** With the waits between them they take 1.6 s in the mean, which is within the deadline of a request. */
const maxAttempts = 12;

/**
 * Writes all of the named items or none. Returns the first whose condition did not hold, or undefined when all was
 * written. After a conflict with another writer it tries again under the same client token, so that the write applies once;
 * throws StoreUnavailableError if every attempt meets a conflict.
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
  // The document client leaves the items of errors as they came.
  for (const [index, { Code, Item }] of (error.CancellationReasons ?? []).entries())
    if (Code === 'ConditionalCheckFailed') return { name: names[index] as Name, old: Item && unmarshall(Item) };
  return undefined;
};

const passing = new Set(['None', 'TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded']);

const isContention = (error: unknown): boolean =>
  error instanceof TransactionInProgressException ||
  (error instanceof TransactionCanceledException &&
    (error.CancellationReasons ?? []).every(({ Code }) => passing.has(Code ?? 'None')));
