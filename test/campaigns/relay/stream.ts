import type { DynamoDBBatchResponse, DynamoDBRecord } from 'aws-lambda';
import { applianceRecord } from '../../support/feed.ts';
import type { Memory } from '../interleavings/store/memory.ts';
import { rowsOf } from '../interleavings/store/tables.ts';

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
        if (old !== changed) records.push(applianceRecord(records.length, old, changed));
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
