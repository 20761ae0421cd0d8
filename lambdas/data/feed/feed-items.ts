import { randomBytes } from 'node:crypto';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { feedDays } from '../../api/limits.ts';
import type { StoredEvent } from '../../domain/feed-event.ts';
import type { Store } from '../store/store.ts';
import type { TransactItem } from '../store/writes.ts';

/**
 * One partition per company: `HEAD` counts its events; `EVENT#<number of the last event>` is a segment of consecutive events;
 * `DONE#<event id>` keeps an event from being appended twice.
 */
export type Head = {
  /** The generation of the feed; cursors of earlier generations are invalid. */
  readonly epoch: string;
  /** The number of the last event; numbers start at 1. */
  readonly lastSeq: number;
  /** When the last event was appended; 0 if there is none. */
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
  /** When the previous segment was appended; 0 if there is none. */
  readonly previousAtMs: number;
};

/** A reader's position: it has received all events up to this number. */
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

/** How long events are shown: a partner that reads again within this time misses none. */
export const keptMs = feedDays * dayMs;

/** When a segment expires, in epoch seconds: after its events are no longer shown. */
export const segmentRemovedAt = (atMs: number): number => Math.ceil((atMs + keptMs + dayMs) / 1000);

/** When a marker expires, in epoch seconds. Records of a stream are retried for a day at most. */
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

/** Returns the head of a company's feed, strongly consistent; undefined if the feed has not begun. */
export const findHead = async (store: Store, companyId: string): Promise<Head | undefined> => {
  const { Item } = await store.send(
    new GetCommand({ TableName: store.tableName('Events'), Key: headKey(companyId), ConsistentRead: true }),
  );
  return Item as Head | undefined;
};
