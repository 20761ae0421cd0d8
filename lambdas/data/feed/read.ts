import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { StoredEvent } from '../../domain/feed-event.ts';
import { queryPartition } from '../store/reads.ts';
import type { Store } from '../store/store.ts';
import {
  type FeedPosition,
  findHead,
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
  readonly events: readonly StoredEvent[];
  /** Where the next page begins. */
  readonly next: FeedPosition;
  readonly hasMore: boolean;
};

/** Events after the position are kept no longer or are lost, or the position is none of this life of the feed. */
export type CursorExpired = {
  readonly outcome: 'cursor-expired';
  readonly oldest: FeedPosition;
  /** Whether the feed has a hole there: events that should still be kept are gone. */
  readonly isLost: boolean;
};

/**
 * A page of at most `limit` events of a company's feed, without a gap before or within it: where an event is not to be seen
 * yet, the page ends before it. One read is not enough to say that a position leads nowhere. Throws StoreUnavailableError.
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
  if (!isForeign && !isPast(segments[0], head, from, nowMs - keptMs)) {
    const page = pageOf(head, from, segments, limit);
    return isAtEnd(page, head, segments) ? page : readAnew(store, companyId, { epoch, seq: from }, limit, nowMs);
  }
  const oldest = { epoch, seq: await oldestSeq(store, companyId, head, nowMs) };
  if (start !== 'oldest') return { outcome: 'cursor-expired', oldest, isLost: false };
  return pageOf(head, oldest.seq, await readSegments(store, companyId, oldest.seq, limit), limit);
};

/** Whether a page has brought its reader further, or to where the feed ends. */
const isAtEnd = ({ events, next }: FeedPage, { lastSeq }: Head, segments: readonly Segment[]): boolean =>
  events.length > 0 || next.seq === lastAmong(lastSeq, segments);

/**
 * Reads from a position behind which nothing was seen, though there is more, or which is beyond all that there is. What was
 * seen then is there now, with all before it: what is not to be seen now is lost.
 */
const readAnew = async (
  store: Store,
  companyId: string,
  position: FeedPosition,
  limit: number,
  nowMs: number,
): Promise<FeedPage | CursorExpired> => {
  const [head = firstHead(), segments] = await Promise.all([
    findHead(store, companyId),
    readSegments(store, companyId, position.seq, limit),
  ]);
  const { epoch, lastSeq } = head;
  const isOfThisLife = position.epoch === epoch;
  const page = pageOf(head, position.seq, segments, limit);
  if (isOfThisLife && isAtEnd(page, head, segments)) return page;
  const isLost = isOfThisLife && position.seq < lastAmong(lastSeq, segments);
  const seq = isLost ? (segments[0]?.firstSeq ?? lastSeq + 1) - 1 : await oldestSeq(store, companyId, head, nowMs);
  return { outcome: 'cursor-expired', oldest: { epoch, seq }, isLost };
};

/** The number of the newest event that was seen: the head may be an old one. */
const lastAmong = (lastSeq: number, segments: readonly Segment[]): number =>
  Math.max(lastSeq, ...segments.map(lastSeqOf));

const pageOf = ({ epoch, lastSeq }: Head, seq: number, segments: readonly Segment[], limit: number): FeedPage => {
  const events = eventsAfter(segments, seq).slice(0, limit);
  const next = { epoch, seq: seq + events.length };
  return { outcome: 'page', events, next, hasMore: next.seq < lastAmong(lastSeq, segments) };
};

/**
 * Whether events after the number are no longer kept, or hidden. A missing segment may be too new as well as too old; the one
 * after it, or the head, has the time when it was appended.
 */
const isPast = (first: Segment | undefined, head: Head, seq: number, keptSinceMs: number): boolean => {
  if (seq < floorOf(head)) return true;
  if (!first) return seq < head.lastSeq && head.lastAtMs < keptSinceMs;
  return first.atMs < keptSinceMs || (first.firstSeq > seq + 1 && first.previousAtMs < keptSinceMs);
};

/** The events that follow the number one by one. */
const eventsAfter = (segments: readonly Segment[], seq: number): StoredEvent[] => {
  const events: StoredEvent[] = [];
  for (const segment of segments) {
    const next = seq + events.length + 1;
    if (segment.firstSeq > next) break;
    events.push(...segment.events.slice(next - segment.firstSeq));
  }
  return events;
};

/** The last event of a segment is its key, so that the segments after a number begin with the one that has the next number. */
export const readSegments = async (store: Store, companyId: string, seq: number, limit: number): Promise<Segment[]> => {
  const page = { limit, after: segmentKey(companyId, seq) };
  const { items } = await queryPartition(store, 'Events', companyId, segmentPrefix, page);
  return items as object[] as Segment[];
};

const floorOf = ({ floorSeq = 0 }: Head): number => floorSeq;

/** The number before the oldest event that is shown. Expired segments remain for some days. */
const oldestSeq = async (store: Store, companyId: string, head: Head, nowMs: number): Promise<number> => {
  for (let seq = floorOf(head); ; ) {
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
