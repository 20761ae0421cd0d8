import { PutCommand } from '@aws-sdk/lib-dynamodb';
import type { Parties } from '../../domain/contract.ts';
import { contractKey } from '../contracts/contracts.ts';
import { queryPartition } from '../store/reads.ts';
import type { Store } from '../store/store.ts';
import { transact, updateIf } from '../store/writes.ts';
import { segmentRemovedAt } from './feed-items.ts';

/** A note that an owner has withdrawn something from a company, whose feed still contains earlier events of that owner. */
export type PurgeNote = Parties & {
  readonly notedAtMs: number;
  /** The feed is purged up to this number. */
  readonly afterSeq: number;
};

/** No company has this id: ids have no capital letters. */
const notesPartition = 'PURGES';

const notePrefix = 'NOTE#';

const noteKey = (parties: Parties) => ({
  companyId: notesPartition,
  sk: `${notePrefix}${contractKey(parties).contractId}`,
});

/** Stores a note to purge a company's feed, from its start, of an owner's events. */
export const notePurge = async (store: Store, parties: Parties, nowMs: number): Promise<void> => {
  const note = { ofCompanyId: parties.companyId, userId: parties.userId, notedAtMs: nowMs, afterSeq: 0 };
  const Item = { ...noteKey(parties), ...note, removeAt: segmentRemovedAt(nowMs) };
  await store.send(new PutCommand({ TableName: store.tableName('Events'), Item }));
};

/**
 * Longer than any function runs that writes to feeds: an event that was found to be visible before the note is stored by now,
 * or never will be.
 */
const restMs = 15 * 60_000;

/** Yields the notes that are at least `restMs` old, page by page. */
export async function* duePurges(store: Store, nowMs: number): AsyncGenerator<readonly PurgeNote[]> {
  for (let after: Record<string, unknown> | undefined; ; ) {
    const { items, hasMore } = await queryPartition(
      store,
      'Events',
      { partition: notesPartition, prefix: notePrefix },
      { limit: 1000, after },
    );
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

/** Deletes the note of a completed purge, unless the owner has withdrawn something again since. */
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

/** Stores the progress of a purge, unless the owner has withdrawn something again since. */
export const keepPurge = async (store: Store, note: PurgeNote, afterSeq: number): Promise<void> => {
  await updateIf(store, 'Events', {
    Key: noteKey(note),
    UpdateExpression: 'SET afterSeq = :afterSeq',
    ConditionExpression: 'notedAtMs = :seen',
    ExpressionAttributeValues: { ':afterSeq': afterSeq, ':seen': note.notedAtMs },
  });
};
