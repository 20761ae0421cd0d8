import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBBatchResponse, DynamoDBRecord } from 'aws-lambda';
import { tables } from '../../../lambdas/api/tables.ts';
import type { Memory } from '../interleavings/store/memory.ts';
import { keyNames, rowsOf } from '../interleavings/store/tables.ts';
import type { Item } from '../interleavings/store/values.ts';

/**
 * The stream of Appliances: a record for each change of an item, in their order, with both of its images. A reader gets a
 * batch again from the first record on that its answer names, and the whole batch if it does not answer.
 */
export const openStream = ({ versions }: Memory) => {
  const records: DynamoDBRecord[] = [];
  let seenVersions = 1;
  let next = 0;

  const readNew = (): void => {
    for (; seenVersions < versions.length; seenVersions++) {
      const [before, after] = [seenVersions - 1, seenVersions].map((index) =>
        rowsOf(versions[index] ?? {}, 'Appliances'),
      );
      for (const key of new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])])) {
        const [old, changed] = [before?.get(key), after?.get(key)];
        if (old !== changed) records.push(recordOf(records.length, old, changed));
      }
    }
  };

  return {
    /** The next records, at most so many. */
    nextBatch: (size: number): readonly DynamoDBRecord[] => {
      readNew();
      return records.slice(next, next + size);
    },
    /** Goes on after what the reader has handled. */
    answered: (batch: readonly DynamoDBRecord[], { batchItemFailures }: DynamoDBBatchResponse): void => {
      const failed = batchItemFailures.map(({ itemIdentifier }) => Number(itemIdentifier));
      next = Math.min(...failed, next + batch.length);
    },
  };
};

const recordOf = (sequenceNumber: number, old: Item | undefined, changed: Item | undefined): DynamoDBRecord => {
  const item = { ...old, ...changed };
  const keys = Object.fromEntries(keyNames(tables.Appliances).map((name) => [name, item[name]]));
  return {
    dynamodb: {
      SequenceNumber: String(sequenceNumber),
      Keys: imageOf(keys),
      ...(old && { OldImage: imageOf(old) }),
      ...(changed && { NewImage: imageOf(changed) }),
    },
  };
};

const imageOf = (item: Readonly<Record<string, unknown>>) =>
  marshall(item, { removeUndefinedValues: true }) as NonNullable<NonNullable<DynamoDBRecord['dynamodb']>['NewImage']>;
