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

/** With their markers and the head they are within the 100 items of a transaction. */
const maxEvents = 50;
/** With room for the rest of an item, whose limit is 400 kB. */
const maxCharacters = 100_000;

/** Few others append: most who lose once win at the next attempt. */
const attemptsAtOnce = 3;

/** The wait from which waits grow no longer: 100 ms at most. */
const longestWait = 2;

/**
 * Appends events to the feed of a company, in their order and each once, whoever else appends, and tells how many were new.
 * Broken off anywhere, it has appended a whole number of segments; called again, it appends the others. Throws
 * StoreUnavailableError.
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

/** Number, events and markers are one write: who sees a number sees its event, and what is marked is in the feed. */
const appendSegment = async (store: Store, companyId: string, given: readonly StoredEvent[], nowMs: number) => {
  const first = { events: given, head: await findHead(store, companyId) };
  // An attempt that fails has met another appender, which has come further by it.
  return retryingFrom(first, { to: 'append to a feed', atMost: 50 }, async ({ events, head }, count) => {
    const failed = await transact(store, itemsOf(store, companyId, events, head, nowMs));
    if (!failed) return events.length;
    if (failed.name !== 'head') {
      const others = await withoutDone(store, companyId, events);
      return others.length > 0 ? again({ events: others, head }) : 0;
    }
    // Those who lose at the same moment would else meet again; what was read before the wait is old by then.
    if (count >= attemptsAtOnce) await backOff(Math.min(count - attemptsAtOnce, longestWait));
    return again({ events, head: await findHead(store, companyId) });
  });
};

const itemsOf = (
  store: Store,
  companyId: string,
  events: readonly StoredEvent[],
  head: Head | undefined,
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

/** Parts of the list, in its order, each as long as a transaction takes it; an event that is there twice counts once. */
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
