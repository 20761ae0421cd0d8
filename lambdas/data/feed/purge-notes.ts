import { PutCommand } from '@aws-sdk/lib-dynamodb';
import type { Parties } from '../../domain/contract.ts';
import { contractKey } from '../contracts/contracts.ts';
import { queryPartition } from '../store/reads.ts';
import type { Store } from '../store/store.ts';
import { transact, updateIf } from '../store/writes.ts';
import { segmentRemovedAt } from './feed-items.ts';

/** A note that an owner has taken something back from a company, whose feed tells of it from before. */
export type PurgeNote = Parties & {
  readonly notedAtMs: number;
  /** The rows up to this number are done. */
  readonly afterSeq: number;
};

/** No company has this id: ids have no capital letters. */
const notesPartition = 'PURGES';

const notePrefix = 'NOTE#';

const noteKey = (parties: Parties) => ({
  companyId: notesPartition,
  sk: `${notePrefix}${contractKey(parties).contractId}`,
});

/** Notes of whom the rows of a company's feed are to be left, from their begin. Throws StoreUnavailableError. */
export const notePurge = async (store: Store, parties: Parties, nowMs: number): Promise<void> => {
  const note = { ofCompanyId: parties.companyId, userId: parties.userId, notedAtMs: nowMs, afterSeq: 0 };
  const Item = { ...noteKey(parties), ...note, removeAt: segmentRemovedAt(nowMs) };
  await store.send(new PutCommand({ TableName: store.tableName('Events'), Item }));
};

/**
 * Longer than a function runs that writes to feeds: whoever found out before the note that something may be told has written
 * it down, or never will.
 */
const restMs = 15 * 60_000;

/** The notes that have rested for long enough, page by page. Throws StoreUnavailableError. */
export async function* duePurges(store: Store, nowMs: number): AsyncGenerator<readonly PurgeNote[]> {
  for (let after: Record<string, unknown> | undefined; ; ) {
    const { items, hasMore } = await queryPartition(store, 'Events', notesPartition, notePrefix, {
      limit: 1000,
      after,
    });
    yield items.map(toNote).filter(({ notedAtMs }) => notedAtMs <= nowMs - restMs);
    const last = items.at(-1);
    if (!hasMore || !last) return;
    after = { companyId: last.companyId, sk: last.sk };
  }
}

const toNote = ({ ofCompanyId, userId, notedAtMs, afterSeq }: Readonly<Record<string, unknown>>): PurgeNote => ({
  companyId: String(ofCompanyId),
  userId: String(userId),
  notedAtMs: Number(notedAtMs),
  afterSeq: Number(afterSeq),
});

/** Deletes a note that is done, unless something was taken back anew. Throws StoreUnavailableError. */
export const endPurge = async (store: Store, note: PurgeNote): Promise<void> => {
  await transact(store, {
    note: {
      Delete: {
        TableName: store.tableName('Events'),
        Key: noteKey(note),
        ConditionExpression: 'notedAtMs = :seen',
        ExpressionAttributeValues: { ':seen': note.notedAtMs },
      },
    },
  });
};

/** Keeps how far a purge has come, unless something was taken back anew. Throws StoreUnavailableError. */
export const keepPurge = async (store: Store, note: PurgeNote, afterSeq: number): Promise<void> => {
  await updateIf(store, 'Events', {
    Key: noteKey(note),
    UpdateExpression: 'SET afterSeq = :afterSeq',
    ConditionExpression: 'notedAtMs = :seen',
    ExpressionAttributeValues: { ':afterSeq': afterSeq, ':seen': note.notedAtMs },
  });
};
