import type { Contract } from '../../domain/contract.ts';
import { type FeedEvent, isWhole } from '../../domain/feed-event.ts';
import { readContracts } from '../contracts/contracts.ts';
import { again, retryingFrom } from '../store/attempts.ts';
import type { Store } from '../store/store.ts';
import { transact } from '../store/writes.ts';
import { lastSeqOf, type Segment, segmentKey } from './feed-items.ts';
import { readSegments } from './read.ts';

/** Whether an event of an owner is to be removed from a feed, given the owner's contract with the feed's company. */
export type IsGone = (event: FeedEvent, contract: Contract | undefined) => boolean;

/** A company, and owners whose events its feed may contain. */
export type OwnersInFeed = { readonly companyId: string; readonly userIds: ReadonlySet<string> };

/** A segment, and the ids of its events that are to be removed. */
export type GoneEvents = { readonly segment: Segment; readonly ids: ReadonlySet<string> };

/** The events of one page of a feed that are to be removed; the next page begins after `lastSeq`. */
type GonePage = { readonly lastSeq: number; readonly gone: readonly GoneEvents[] };

/**
 * Yields, page by page, the events of owners in a feed, after a number, that are to be removed. Contracts are read after the
 * events, so an event is never checked against a contract from before the grant under which it was recorded.
 */
export async function* findGone(
  store: Store,
  { companyId, userIds }: OwnersInFeed,
  isGone: IsGone,
  afterSeq = 0,
): AsyncGenerator<GonePage> {
  for (let seq = afterSeq; ; ) {
    const segments = await readSegments(store, companyId, seq, pageLimit);
    const last = segments.at(-1);
    if (!last) return;
    seq = lastSeqOf(last);
    const theirs = segments.filter(({ events }) => events.some((event) => isOf(event, userIds)));
    const contracts = await readContracts(store, theirs.length > 0 ? partiesIn(theirs, companyId, userIds) : []);
    const contractOf = new Map(contracts.map((contract) => [contract.userId, contract]));
    const gone = theirs.map((segment) => ({
      segment,
      ids: new Set(
        segment.events.flatMap((event) =>
          isOf(event, userIds) && isGone(event, contractOf.get(event.userId)) ? [event.id] : [],
        ),
      ),
    }));
    yield { lastSeq: seq, gone: gone.filter(({ ids }) => ids.size > 0) };
  }
}

const pageLimit = 1000;

type OwnersEvent = FeedEvent & { readonly userId: string };

const isOf = (event: Segment['events'][number], userIds: ReadonlySet<string>): event is OwnersEvent =>
  isWhole(event) && event.userId !== undefined && userIds.has(event.userId);

const partiesIn = (segments: readonly Segment[], companyId: string, userIds: ReadonlySet<string>) => {
  const events = segments.flatMap((segment) => segment.events.filter((event) => isOf(event, userIds)));
  return [...new Set(events.map(({ userId }) => userId))].map((userId) => ({ companyId, userId }));
};

/**
 * Replaces these events with their ids: readers count them as withheld, and no number is missing. Resolves to the number of
 * removed events, which is 0 for an expired segment.
 */
export const removeGone = (store: Store, companyId: string, { segment, ids }: GoneEvents): Promise<number> =>
  // An attempt fails if another removal changed the segment.
  retryingFrom(segment, { to: 'remove events from a feed', atMost: 5 }, async (seen) => {
    const removed = seen.events.filter((event) => isWhole(event) && ids.has(event.id)).length;
    if (removed === 0) return 0;
    const events = seen.events.map((event) => (ids.has(event.id) ? { id: event.id } : event));
    const failed = await transact(store, {
      segment: {
        Update: {
          TableName: store.tableName('Events'),
          Key: segmentKey(companyId, lastSeqOf(seen)),
          UpdateExpression: 'SET events = :events',
          ConditionExpression: 'events = :seen',
          ExpressionAttributeValues: { ':events': events, ':seen': seen.events },
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        },
      },
    });
    if (!failed) return removed;
    return failed.old ? again(failed.old as object as Segment) : 0;
  });
