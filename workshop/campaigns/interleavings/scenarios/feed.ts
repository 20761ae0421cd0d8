import assert from 'node:assert/strict';
import { appendEvents } from '../../../../lambdas/data/feed/append.ts';
import type { Segment } from '../../../../lambdas/data/feed/feed-items.ts';
import { type FeedStart, readFeed } from '../../../../lambdas/data/feed/read.ts';
import type { Store } from '../../../../lambdas/data/store/store.ts';
import type { FeedEvent } from '../../../../lambdas/domain/feed-event.ts';
import { companyEvent, notesOf } from '../../../../test/support/feed.ts';
import type { Tables } from '../../../../test/support/memory-store/tables.ts';
import { rowsWith } from '../../../../test/support/stage/rows.ts';
import { startMs } from '../../../../test/support/world.ts';
import type { Ending, Scenario } from '../scenario.ts';

const segmentsIn = (tables: Tables): Segment[] =>
  (rowsWith(tables, 'Events', 'EVENT#') as unknown as Segment[]).toSorted(
    (one, other) => one.firstSeq - other.firstSeq,
  );

const notesIn = (tables: Tables): number[] => segmentsIn(tables).flatMap(({ events }) => notesOf(events));

/** The numbers run from 1 to the head without gaps, no event exists twice, and existing events do not change. */
const feedStaysWhole = (before: Tables, after: Tables): void => {
  let next = 1;
  for (const { firstSeq, events } of segmentsIn(after)) {
    assert.equal(firstSeq, next, 'a number is lacking, or was given twice');
    next += events.length;
  }
  const [head] = rowsWith(after, 'Events', 'HEAD');
  assert.equal(Number(head?.lastSeq ?? 0), next - 1, 'the head counts otherwise');
  const [old, young] = [notesIn(before), notesIn(after)];
  assert.equal(new Set(young).size, young.length, 'an event is there twice');
  assert.deepEqual(young.slice(0, old.length), old, 'what was appended has changed');
};

const [one, two, three, four] = [companyEvent(1), companyEvent(2), companyEvent(3), companyEvent(4)];

const append = (companyId: string, events: readonly FeedEvent[]) => (store: Store) =>
  appendEvents(store, companyId, events, startMs);

/** Reads the feed `reads` times, each time from the end of the last page. */
const readOn = (companyId: string, reads: number) => async (store: Store) => {
  const notes: number[] = [];
  let start: FeedStart = 'oldest';
  for (let read = 0; read < reads; read++) {
    const page = await readFeed(store, companyId, { start, limit: 100 }, startMs);
    assert(page.outcome === 'page');
    notes.push(...notesOf(page.events));
    start = page.next;
  }
  return notes;
};

/** Appended events keep their order, and the reader saw a prefix of the feed. */
const readerSawBegin = ({ tables, outcomes: { reader }, isUndisturbed }: Ending, appended: readonly number[]): void => {
  const notes = notesIn(tables);
  if (isUndisturbed) assert.deepEqual(notes.toSorted(), appended);
  assert(notes.indexOf(1) === -1 || notes.indexOf(2) === notes.indexOf(1) + 1);
  if (reader?.kind === 'ended') assert.deepEqual(reader.value, notes.slice(0, (reader.value as number[]).length));
};

export const feedScenarios: readonly Scenario[] = [
  {
    name: 'two appenders of a new feed, and its reader',
    guarantee: 'both are in the feed, each once and in order, and the reader saw a prefix of it',
    maxDisturbances: { prove: 0, full: 0 },
    arrange: async () => ({
      operations: {
        'appender 1': append('acme', [one, two]),
        'appender 2': append('acme', [three]),
        reader: readOn('acme', 1),
      },
      afterEach: feedStaysWhole,
      atEnd: (ending) => readerSawBegin(ending, [1, 2, 3]),
    }),
  },
  {
    name: 'an appender of a new feed, and its reader, who continues to read',
    guarantee: 'the events are in the feed once, and the reader saw a prefix of it',
    maxDisturbances: { prove: 1, full: 2 },
    arrange: async () => ({
      operations: { appender: append('acme', [one, two]), reader: readOn('acme', 2) },
      afterEach: feedStaysWhole,
      atEnd: (ending) => readerSawBegin(ending, [1, 2]),
    }),
  },
  {
    name: 'two appenders that have an event in common',
    guarantee: 'it is in the feed once, with all others',
    maxDisturbances: { prove: 1, full: 3 },
    arrange: async (store) => {
      await appendEvents(store, 'acme', [four], startMs);
      return {
        operations: { 'appender 1': append('acme', [one, two]), 'appender 2': append('acme', [two, three]) },
        afterEach: feedStaysWhole,
        atEnd: ({ tables, isUndisturbed }) => {
          if (isUndisturbed) assert.deepEqual(notesIn(tables).toSorted(), [1, 2, 3, 4]);
        },
      };
    },
  },
];
