import { randomBytes } from 'node:crypto';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { feedDays } from '../../api/limits.ts';
import type { StoredEvent } from '../../domain/feed-event.ts';
import type { Store } from '../store/store.ts';
import type { TransactItem } from '../store/writes.ts';

/**
 * One partition per company: `HEAD`, which counts its events; `EVENT#<number of its last>`, a segment of events that follow
 * each other; and `DONE#<event id>`, which keeps an event from being appended twice.
 */
export type Head = {
  /** Tells one life of the feed from another: a cursor of an earlier one is none of this. */
  readonly epoch: string;
  /** The number of the last event; they are counted from 1. */
  readonly lastSeq: number;
  /** When it was appended; 0 if there is none. */
  readonly lastAtMs: number;
  /** Events up to this number are hidden; absent if none are. */
  readonly floorSeq?: number;
};

/** Events that were appended together. */
export type Segment = {
  readonly firstSeq: number;
  readonly events: readonly StoredEvent[];
  /** When they were appended. */
  readonly atMs: number;
  /** When the segment before was; 0 if there is none. */
  readonly previousAtMs: number;
};

/** Where a reader stands: it has all events up to this number. */
export type FeedPosition = Pick<Head, 'epoch'> & { readonly seq: number };

export const headKey = (companyId: string) => ({ companyId, sk: 'HEAD' });
export const doneKey = (companyId: string, eventId: string) => ({ companyId, sk: `DONE#${eventId}` });
export const segmentKey = (companyId: string, lastSeq: number) => ({
  companyId,
  sk: `${segmentPrefix}${String(lastSeq).padStart(16, '0')}`,
});

export const segmentPrefix = 'EVENT#';

export const firstHead = (): Head => ({ epoch: randomBytes(6).toString('base64url'), lastSeq: 0, lastAtMs: 0 });

export const lastSeqOf = ({ firstSeq, events }: Segment): number => firstSeq + events.length - 1;

const dayMs = 86_400_000;

/** A partner who comes back within this time has missed nothing. */
export const keptMs = feedDays * dayMs;

/** A segment goes when nobody is shown it any more, in epoch seconds. */
export const segmentRemovedAt = (atMs: number): number => Math.ceil((atMs + keptMs + dayMs) / 1000);

/** A record of a stream is tried again for a day at most. */
export const doneRemovedAt = (atMs: number): number => Math.ceil((atMs + 3 * dayMs) / 1000);

/**
 * The transaction item that begins another epoch of a feed: cursors expire, and the oldest position moves behind all existing
 * events. Those may have a gap, and a client that reads them after a newer state would revert that state. The item fails if
 * another epoch has begun since the head was read.
 */
export const renewal = (store: Store, companyId: string, { epoch }: Head): TransactItem => ({
  Update: {
    TableName: store.tableName('Events'),
    Key: headKey(companyId),
    UpdateExpression: 'SET epoch = :epoch, floorSeq = lastSeq',
    ConditionExpression: 'epoch = :seen',
    ExpressionAttributeValues: { ':epoch': firstHead().epoch, ':seen': epoch },
  },
});

/** The head of the feed of a company, as of now; undefined if the feed has not begun. Throws StoreUnavailableError. */
export const findHead = async (store: Store, companyId: string): Promise<Head | undefined> => {
  const { Item } = await store.send(
    new GetCommand({ TableName: store.tableName('Events'), Key: headKey(companyId), ConsistentRead: true }),
  );
  return Item as Head | undefined;
};
