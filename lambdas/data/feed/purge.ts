import type { Contract } from '../../domain/contract.ts';
import { type FeedEvent, isWhole } from '../../domain/feed-event.ts';
import { readContracts } from '../contracts/contracts.ts';
import { again, retryingFrom } from '../store/attempts.ts';
import type { Store } from '../store/store.ts';
import { transact } from '../store/writes.ts';
import { lastSeqOf, type Segment, segmentKey } from './feed-items.ts';
import { readSegments } from './read.ts';

/** Tells which events of owners are to leave the rows of a feed, by the owner's contract with its company. */
export type IsGone = (event: FeedEvent, contract: Contract | undefined) => boolean;

/** Owners of whom a company's feed tells. */
export type OwnersInFeed = { readonly companyId: string; readonly userIds: ReadonlySet<string> };

/** A segment, and the ids of those of its events that are to leave it. */
export type GoneEvents = { readonly segment: Segment; readonly ids: ReadonlySet<string> };

/** What a page of a feed has of it; the number of its last event is where the next page begins. */
export type GonePage = { readonly lastSeq: number; readonly gone: readonly GoneEvents[] };

/**
 * Finds in the rows of a feed, after a number, the events of owners that are to go, page by page. The contracts are read after
 * the events: an event that was recorded under a grant that is known then is judged by no older one. Throws
 * StoreUnavailableError.
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
 * Leaves of these events nothing but their ids, each in its place: readers count them as withheld, and no number is missing.
 * Resolves to how many it has removed; a segment that has expired has none. Throws StoreUnavailableError.
 */
export const removeGone = (store: Store, companyId: string, { segment, ids }: GoneEvents): Promise<number> =>
  // An attempt that fails has met another removal in the segment.
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
