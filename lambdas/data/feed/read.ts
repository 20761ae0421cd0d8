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

type FeedPage = {
  readonly outcome: 'page';
  readonly events: readonly StoredEvent[];
  /** Where the next page begins. */
  readonly next: FeedPosition;
  readonly hasMore: boolean;
};

/** Events after the position have expired or are lost, or the position belongs to another generation of the feed. */
export type CursorExpired = {
  readonly outcome: 'cursor-expired';
  readonly oldest: FeedPosition;
  /** Whether the feed has a gap there: events that should still be kept are missing. */
  readonly isLost: boolean;
};

/**
 * Returns a page of at most `limit` events of a company's feed, without a gap before or within it: the page ends before an
 * event that is not visible yet. Reports lost events, or a position beyond the feed's end, only after a second read.
 */
export const readFeed = async (
  store: Store,
  companyId: string,
  { start, limit }: { readonly start: FeedStart; readonly limit: number },
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
    return isAtEnd(page, head, segments)
      ? page
      : readAnew(store, companyId, { position: { epoch, seq: from }, limit }, nowMs);
  }
  const oldest = { epoch, seq: await oldestSeq(store, companyId, head, nowMs) };
  if (start !== 'oldest') return { outcome: 'cursor-expired', oldest, isLost: false };
  return pageOf(head, oldest.seq, await readSegments(store, companyId, oldest.seq, limit), limit);
};

/** Whether a page has events, or ends where the feed ends. */
const isAtEnd = ({ events, next }: FeedPage, { lastSeq }: Head, segments: readonly Segment[]): boolean =>
  events.length > 0 || next.seq === lastAmong(lastSeq, segments);

/**
 * Reads again from a position after which the first read found no event though there are more, or which is beyond the feed's
 * end. All that the first read found, and everything before it, is visible by now: what this read does not find is lost.
 */
const readAnew = async (
  store: Store,
  companyId: string,
  { position, limit }: { readonly position: FeedPosition; readonly limit: number },
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

/** The number of the newest event that was found: the head may be outdated. */
const lastAmong = (lastSeq: number, segments: readonly Segment[]): number =>
  Math.max(lastSeq, ...segments.map(lastSeqOf));

const pageOf = ({ epoch, lastSeq }: Head, seq: number, segments: readonly Segment[], limit: number): FeedPage => {
  const events = eventsAfter(segments, seq).slice(0, limit);
  const next = { epoch, seq: seq + events.length };
  return { outcome: 'page', events, next, hasMore: next.seq < lastAmong(lastSeq, segments) };
};

/**
 * Whether events after the number have expired or are hidden. A missing segment may be too new as well as too old; the next
 * segment, or the head, has the time when it was appended.
 */
const isPast = (first: Segment | undefined, head: Head, seq: number, keptSinceMs: number): boolean => {
  if (seq < floorOf(head)) return true;
  if (!first) return seq < head.lastSeq && head.lastAtMs < keptSinceMs;
  return first.atMs < keptSinceMs || (first.firstSeq > seq + 1 && first.previousAtMs < keptSinceMs);
};

/** Returns the events after the number, up to the first gap. */
const eventsAfter = (segments: readonly Segment[], seq: number): StoredEvent[] => {
  const events: StoredEvent[] = [];
  for (const segment of segments) {
    const next = seq + events.length + 1;
    if (segment.firstSeq > next) break;
    events.push(...segment.events.slice(next - segment.firstSeq));
  }
  return events;
};

/**
 * The key of a segment is the number of its last event, so the segments after a number begin with the one that has the next
 * event.
 */
export const readSegments = async (store: Store, companyId: string, seq: number, limit: number): Promise<Segment[]> => {
  const page = { limit, after: segmentKey(companyId, seq) };
  const { items } = await queryPartition(store, 'Events', { partition: companyId, prefix: segmentPrefix }, page);
  return items as object[] as Segment[];
};

const floorOf = ({ floorSeq = 0 }: Head): number => floorSeq;

/** Returns the number before the oldest event that is shown. Expired segments remain for some days. */
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

/** The first read creates the head, so every cursor has a generation. */
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
