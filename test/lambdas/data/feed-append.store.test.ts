import { beforeAll, describe, expect, test } from 'vitest';
import { appendEvents } from '../../../lambdas/data/feed/append.ts';
import { findHead, renewal } from '../../../lambdas/data/feed/feed-items.ts';
import { type FeedStart, readFeed } from '../../../lambdas/data/feed/read.ts';
import { transact } from '../../../lambdas/data/store/writes.ts';
import type { StoredEvent } from '../../../lambdas/domain/feed-event.ts';
import { companyEvent, companyEvents, notesOf, upTo } from '../../support/feed.ts';
import { overtakenBy } from '../../support/store.ts';
import { openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
let companies = 0;
beforeAll(async () => {
  world = await openWorld();
});

const expectHead = async (companyId: string) =>
  (await findHead(world.store, companyId)) ?? expect.fail('The feed has not begun.');

const newCompany = () => `feed${Date.now() % 1e9}x${++companies}`;

/** Returns the events of all pages, and the position after the last page. */
const readAll = async (companyId: string) => {
  const events: StoredEvent[] = [];
  for (let start: FeedStart = 'oldest'; ; ) {
    const page = await readFeed(world.store, companyId, { start, limit: 100 }, startMs);
    if (page.outcome !== 'page') return expect.fail('The cursor has expired.');
    events.push(...page.events);
    if (!page.hasMore) return { events, next: page.next };
    start = page.next;
  }
};

describe('appended events', () => {
  test('are in the feed in their order, in as many segments as necessary', async () => {
    const companyId = newCompany();
    expect(await appendEvents(world.store, companyId, companyEvents(120), startMs)).toBe(120);
    expect(await appendEvents(world.store, companyId, companyEvents(3, 121), startMs)).toBe(3);
    expect(notesOf((await readAll(companyId)).events)).toEqual(upTo(123));
  });

  test('are in the feed once, however often they are appended, alone or with others', async () => {
    const companyId = newCompany();
    const events = companyEvents(60);
    expect(await appendEvents(world.store, companyId, events.slice(20, 30), startMs)).toBe(10);
    expect(await appendEvents(world.store, companyId, [...events, ...events], startMs)).toBe(50);
    expect(await appendEvents(world.store, companyId, events, startMs)).toBe(0);
    expect(notesOf((await readAll(companyId)).events)).toEqual([...upTo(30, 21), ...upTo(20), ...upTo(60, 31)]);
  });

  test('fit into items, however long they are', async () => {
    const companyId = newCompany();
    const events = upTo(60).map((note) => companyEvent(note, { data: { note, text: 'ü'.repeat(15_000) } }));
    expect(await appendEvents(world.store, companyId, events, startMs)).toBe(60);
    expect(notesOf((await readAll(companyId)).events)).toEqual(upTo(60));
  });

  test('are all in the feed, in the order of each writer, if many append concurrently', async () => {
    const companyId = newCompany();
    const ofEach = upTo(4).map((appender) => companyEvents(3, appender * 100));
    await Promise.all(
      ofEach.map(async (events) => {
        for (const event of events) await appendEvents(world.store, companyId, [event], startMs);
      }),
    );
    const notes = notesOf((await readAll(companyId)).events);
    expect(notes.toSorted((one, other) => one - other)).toEqual(ofEach.flatMap(notesOf));
    for (const events of ofEach)
      expect(notes.filter((note) => notesOf(events).includes(note))).toEqual(notesOf(events));
  });
});

test('a feed that is renewed during an append stays renewed, and gets the events', async () => {
  const companyId = newCompany();
  await appendEvents(world.store, companyId, companyEvents(1), startMs);
  const head = await expectHead(companyId);
  const renew = () => transact(world.store, { head: renewal(world.store, companyId, head) });
  await appendEvents(overtakenBy(world.store, renew), companyId, companyEvents(1, 2), startMs);
  await appendEvents(world.store, companyId, companyEvents(1, 3), startMs);
  const { events, next } = await readAll(companyId);
  expect(notesOf(events)).toEqual([2, 3]);
  expect(next.epoch).not.toBe(head.epoch);
});
