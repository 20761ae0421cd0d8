import type { DynamoDBBatchResponse, DynamoDBRecord } from 'aws-lambda';
import { applianceRecord, companyRecord, contractRecord } from '../feed.ts';
import type { Memory } from '../memory-store/memory.ts';
import { rowsOf, type Tables } from '../memory-store/tables.ts';

const recordsOf = {
  Appliances: applianceRecord,
  Contracts: contractRecord,
  KeyNotices: companyRecord,
  Webhooks: companyRecord,
};
export type StreamName = keyof typeof recordsOf;

/**
 * The streams of the tables: a record for each change of an item, in order. `noteChanges` adds the changes since its last call.
 */
export const openStreams = (memory: Memory, now: () => number) => {
  const records: Record<StreamName, DynamoDBRecord[]> = { Appliances: [], Contracts: [], KeyNotices: [], Webhooks: [] };
  let seenVersions = 1;
  let numbers = 0;
  const noteChanges = (): void => {
    for (; seenVersions < memory.versions.length; seenVersions++) {
      const [before, after] = [memory.versions[seenVersions - 1], memory.versions[seenVersions]] as [Tables, Tables];
      for (const name of Object.keys(records) as StreamName[]) {
        const [old, young] = [rowsOf(before, name), rowsOf(after, name)];
        if (old === young) continue;
        for (const id of new Set([...old.keys(), ...young.keys()])) {
          if (old.get(id) === young.get(id)) continue;
          const { dynamodb, ...record } = recordsOf[name](++numbers, old.get(id), young.get(id));
          const ApproximateCreationDateTime = Math.floor(now() / 1000);
          records[name].push({ ...record, dynamodb: { ...dynamodb, ApproximateCreationDateTime } });
        }
      }
    }
  };
  return { ...records, noteChanges };
};

/** Reads a stream as Lambda does: it receives a batch again from the first record on that the answer names as failed. */
export const openReader = (records: readonly DynamoDBRecord[]) => {
  let next = 0;
  return {
    /** Returns the next records, at most `size`. */
    nextBatch: (size: number): readonly DynamoDBRecord[] => records.slice(next, next + size),
    /** Continues after the handled records of the batch; returns whether all were handled. */
    answered: (batch: readonly DynamoDBRecord[], { batchItemFailures }: DynamoDBBatchResponse): boolean => {
      const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
      const first = batch.findIndex(({ dynamodb }) => failed.has(dynamodb?.SequenceNumber ?? ''));
      next += first < 0 ? batch.length : first;
      return first < 0;
    },
  };
};
