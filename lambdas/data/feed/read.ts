import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { FeedEvent } from '../../domain/feed/feed-event.ts';
import { queryPartition } from '../store/partition-query.ts';
import type { Store } from '../store/store.ts';
import {
  type FeedPosition,
  firstHead,
  type Head,
  headKey,
  keptMs,
  lastSeqOf,
  type Segment,
  segmentKey,
  segmentPrefix,
} from './feed-items.ts';

/** Where to begin: after a position, at the oldest event that is kept, or after the newest. */
export type FeedStart = FeedPosition | 'oldest' | 'latest';

export type FeedPage = {
  readonly outcome: 'page';
  readonly events: readonly FeedEvent[];
  /** Where the next page begins. */
  readonly next: FeedPosition;
  readonly hasMore: boolean;
};

/** Events after the position are kept no longer, or the position is of another life of the feed. */
export type CursorExpired = { readonly outcome: 'cursor-expired'; readonly oldest: FeedPosition };

/**
 * A page of at most `limit` events of a company's feed, without a gap before or within it: where an event is not to be seen
 * yet, the page ends before it. Throws StoreUnavailableError.
 */
export const readFeed = async (
  store: Store,
  companyId: string,
  start: FeedStart,
  limit: number,
  nowMs: number,
): Promise<FeedPage | CursorExpired> => {
  const from = typeof start === 'object' ? start.seq : 0;
  const [head, segments] = await Promise.all([
    findOrBeginHead(store, companyId),
    start === 'latest' ? [] : readSegments(store, companyId, from, limit),
  ]);
  const { epoch, lastSeq } = head;
  if (start === 'latest') return pageOf(head, lastSeq, [], limit);
  const isForeign = typeof start === 'object' && start.epoch !== epoch;
  if (!isForeign && !isPast(segments[0], head, from, nowMs - keptMs)) return pageOf(head, from, segments, limit);

  const oldest = { epoch, seq: await oldestSeq(store, companyId, head, nowMs) };
  if (start !== 'oldest') return { outcome: 'cursor-expired', oldest };
  return pageOf(head, oldest.seq, await readSegments(store, companyId, oldest.seq, limit), limit);
};

const pageOf = ({ epoch, lastSeq }: Head, seq: number, segments: readonly Segment[], limit: number): FeedPage => {
  const events = eventsAfter(segments, seq).slice(0, limit);
  const next = { epoch, seq: seq + events.length };
  const known = Math.max(lastSeq, ...segments.map(lastSeqOf));
  return { outcome: 'page', events, next, hasMore: next.seq < known };
};

/**
 * Whether events after the number are kept no longer. A segment that is not to be seen may be too new as well as too old; the
 * one after it, or the head, tells when it was appended.
 */
const isPast = (first: Segment | undefined, head: Head, seq: number, keptSinceMs: number): boolean => {
  if (!first) return seq < head.lastSeq && head.lastAtMs < keptSinceMs;
  return first.atMs < keptSinceMs || (first.firstSeq > seq + 1 && first.previousAtMs < keptSinceMs);
};

/** The events that follow the number one by one. */
const eventsAfter = (segments: readonly Segment[], seq: number): FeedEvent[] => {
  const events: FeedEvent[] = [];
  for (const segment of segments) {
    const next = seq + events.length + 1;
    if (segment.firstSeq > next) break;
    events.push(...segment.events.slice(next - segment.firstSeq));
  }
  return events;
};

/** The last event of a segment is its key, so that the segments after a number begin with the one that has the next number. */
const readSegments = async (store: Store, companyId: string, seq: number, limit: number): Promise<Segment[]> => {
  const page = { limit, after: segmentKey(companyId, seq) };
  const { items } = await queryPartition(store, 'Events', companyId, segmentPrefix, page);
  return items as object[] as Segment[];
};

/** The number before the oldest event that is kept. Segments that are to go are there for some days more. */
const oldestSeq = async (store: Store, companyId: string, head: Head, nowMs: number): Promise<number> => {
  for (let seq = 0; ; ) {
    const segments = await readSegments(store, companyId, seq, pageLimit);
    const kept = segments.find(({ atMs }) => atMs >= nowMs - keptMs);
    if (kept) return kept.firstSeq - 1;
    const last = segments.at(-1);
    if (!last) return head.lastSeq;
    seq = lastSeqOf(last);
  }
};

const pageLimit = 1000;

/** Who reads a feed that has not begun begins it, so that every position belongs to a life of the feed. */
const findOrBeginHead = async (store: Store, companyId: string): Promise<Head> => {
  const key = { TableName: store.tableName('Events'), Key: headKey(companyId) };
  const { Item } = await store.send(new GetCommand(key));
  if (Item) return Item as Head;
  const { epoch, lastSeq, lastAtMs } = firstHead();
  const { Attributes } = await store.send(
    new UpdateCommand({
      ...key,
      UpdateExpression:
        'SET epoch = if_not_exists(epoch, :epoch), lastSeq = if_not_exists(lastSeq, :lastSeq), lastAtMs = if_not_exists(lastAtMs, :lastAtMs)',
      ExpressionAttributeValues: { ':epoch': epoch, ':lastSeq': lastSeq, ':lastAtMs': lastAtMs },
      ReturnValues: 'ALL_NEW',
    }),
  );
  return Attributes as Head;
};
