import type { StoredEvent } from '../../domain/feed-event.ts';
import { again, backOff, retryingFrom } from '../store/attempts.ts';
import { batchGet } from '../store/reads.ts';
import type { Store } from '../store/store.ts';
import { type TransactItem, transact } from '../store/writes.ts';
import {
  doneKey,
  doneRemovedAt,
  findHead,
  firstHead,
  type Head,
  headKey,
  segmentKey,
  segmentRemovedAt,
} from './feed-items.ts';

/** With a marker for each, the head and the segment, they fit into the 100 items of a transaction. */
const maxEvents = 50;
/** Leaves room for the rest of an item, whose limit is 400 kB. */
const maxCharacters = 100_000;

/** The attempts before the first wait. There are few writers: most conflicts end at the first retry. */
const attemptsAtOnce = 3;

/** The exponent at which waits stop growing: 100 ms at most. */
const longestWait = 2;

/**
 * Appends events to the feed of a company, in order and each once, even with concurrent appends. Resolves to the number of new
 * events. An interrupted call has appended a whole number of segments; a repeat appends the rest.
 */
export const appendEvents = async (
  store: Store,
  companyId: string,
  events: readonly StoredEvent[],
  nowMs: number,
): Promise<number> => {
  let appended = 0;
  for (const segment of segmentsOf(events)) appended += await appendSegment(store, companyId, segment, nowMs);
  return appended;
};

/**
 * Writes head, events and markers in one transaction: a reader that sees a number sees its event, and marked events are in the
 * feed.
 */
const appendSegment = async (store: Store, companyId: string, given: readonly StoredEvent[], nowMs: number) => {
  const first = { events: given, head: await findHead(store, companyId) };
  // An attempt fails only if another one has appended, so there is always progress.
  return retryingFrom(first, { to: 'append to a feed', atMost: 50 }, async ({ events, head }, count) => {
    const failed = await transact(store, itemsOf(store, companyId, { events, head }, nowMs));
    if (!failed) return events.length;
    if (failed.name !== 'head') {
      const others = await withoutDone(store, companyId, events);
      return others.length > 0 ? again({ events: others, head }) : 0;
    }
    // The wait keeps writers that failed together from another conflict. The head is read after it, so that it is recent.
    if (count >= attemptsAtOnce) await backOff(Math.min(count - attemptsAtOnce, longestWait));
    return again({ events, head: await findHead(store, companyId) });
  });
};

const itemsOf = (
  store: Store,
  companyId: string,
  { events, head }: { readonly events: readonly StoredEvent[]; readonly head: Head | undefined },
  nowMs: number,
): Record<string, TransactItem> => {
  const TableName = store.tableName('Events');
  const { epoch, lastSeq, lastAtMs, ...others } = head ?? firstHead();
  const last = lastSeq + events.length;
  const next: Head = { ...others, epoch, lastSeq: last, lastAtMs: nowMs };
  const segment = { firstSeq: lastSeq + 1, events, atMs: nowMs, previousAtMs: lastAtMs };
  const ifAbsent = { ConditionExpression: 'attribute_not_exists(sk)' };
  const ifUnchanged = {
    ConditionExpression: 'epoch = :epoch AND lastSeq = :lastSeq',
    ExpressionAttributeValues: { ':epoch': epoch, ':lastSeq': lastSeq },
  };
  const ofHead = { TableName, Item: { ...headKey(companyId), ...next } };
  return {
    head: { Put: { ...ofHead, ...(head ? ifUnchanged : ifAbsent) } },
    segment: {
      Put: { TableName, Item: { ...segmentKey(companyId, last), ...segment, removeAt: segmentRemovedAt(nowMs) } },
    },
    ...Object.fromEntries(
      events.map(({ id }) => [
        id,
        { Put: { TableName, Item: { ...doneKey(companyId, id), removeAt: doneRemovedAt(nowMs) }, ...ifAbsent } },
      ]),
    ),
  };
};

const withoutDone = async (store: Store, companyId: string, events: readonly StoredEvent[]) => {
  const table = store.tableName('Events');
  const Keys = events.map(({ id }) => doneKey(companyId, id));
  const items = await batchGet(store, { [table]: { Keys, ConsistentRead: true } });
  const done = new Set(items(table).map(({ sk }) => sk));
  return events.filter((_, index) => !done.has(Keys[index]?.sk));
};

/** Splits the list, in order, into parts that each fit into a transaction; an event that is in the list twice counts once. */
const segmentsOf = (events: readonly StoredEvent[]): StoredEvent[][] => {
  const segments: StoredEvent[][] = [];
  let characters = Number.POSITIVE_INFINITY;
  for (const event of new Map(events.map((each) => [each.id, each])).values()) {
    const segment = segments.at(-1);
    characters += JSON.stringify(event).length;
    if (segment && segment.length < maxEvents && characters <= maxCharacters) segment.push(event);
    else {
      segments.push([event]);
      characters = JSON.stringify(event).length;
    }
  }
  return segments;
};
