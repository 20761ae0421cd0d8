import { DeleteCommand, GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import { appendEvents } from '../../../lambdas/data/feed/append.ts';
import {
  type FeedPosition,
  findHead,
  headKey,
  keptMs,
  renewal,
  segmentKey,
} from '../../../lambdas/data/feed/feed-items.ts';
import { type FeedStart, readFeed } from '../../../lambdas/data/feed/read.ts';
import type { Store } from '../../../lambdas/data/store/store.ts';
import { transact } from '../../../lambdas/data/store/writes.ts';
import { companyEvents, notesOf, upTo } from '../../support/feed.ts';
import { openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
let companies = 0;
beforeAll(async () => {
  world = await openWorld();
});

/** A feed with a segment for each count, with consecutive event numbers, appended at these times. */
const feedOf = async (counts: readonly number[], times: readonly number[] = []) => {
  const companyId = `read${++companies}`;
  let first = 1;
  for (const [index, count] of counts.entries()) {
    await appendEvents(world.store, companyId, companyEvents(count, first), times[index] ?? startMs);
    first += count;
  }
  return companyId;
};

/** Returns the current head, for a store that later returns it as an outdated one. */
const readHead = async (companyId: string) => {
  const TableName = world.store.tableName('Events');
  return (await world.store.send(new GetCommand({ TableName, Key: headKey(companyId) }))).Item;
};

/** A store that returns this head unless the read is strongly consistent, and records its commands. */
const withOldHead = (head: object | undefined, commands: object[] = []): Store => {
  const send = async (command: object) => {
    commands.push(command);
    const isOld = command instanceof GetCommand && !command.input.ConsistentRead;
    return isOld ? { Item: head } : world.store.send(command as never);
  };
  return { ...world.store, send: send as Store['send'] };
};

const read = (companyId: string, start: FeedStart, limit = 100, nowMs = startMs) =>
  readFeed(world.store, companyId, { start, limit }, nowMs);

const pageOf = async (...given: Parameters<typeof read>) => {
  const page = await read(...given);
  return page.outcome === 'page' ? page : expect.fail('The cursor has expired.');
};

const forget = (companyId: string, key: { readonly sk: string }) =>
  world.store.send(new DeleteCommand({ TableName: world.store.tableName('Events'), Key: { companyId, sk: key.sk } }));

test('pages of any size follow each other without a gap, within segments and across them', async () => {
  const companyId = await feedOf([3, 1, 7, 2]);
  for (const limit of [1, 2, 5, 100]) {
    const notes: number[] = [];
    let start: FeedStart = 'oldest';
    for (let hasMore = true; hasMore; ) {
      const page: Awaited<ReturnType<typeof pageOf>> = await pageOf(companyId, start, limit);
      expect(page.events.length).toBeLessThanOrEqual(limit);
      notes.push(...notesOf(page.events));
      ({ hasMore, next: start } = page);
    }
    expect(notes).toEqual(upTo(13));
    expect(await pageOf(companyId, start, limit)).toMatchObject({ events: [], next: start, hasMore: false });
  }
});

test('a page that ends before the newest event has more, even if its read of the head was outdated', async () => {
  const companyId = await feedOf([2]);
  const old = await readHead(companyId);
  await appendEvents(world.store, companyId, companyEvents(4, 3), startMs);
  const { epoch } = (await pageOf(companyId, 'latest')).next;
  const pages = [0, 1, 2, 4].map(async (seq) => {
    const page = await readFeed(withOldHead(old), companyId, { start: { epoch, seq }, limit: 2 }, startMs);
    return page.outcome === 'page' ? [notesOf(page.events), page.hasMore] : page;
  });
  expect(await Promise.all(pages)).toEqual([
    [[1, 2], true],
    [[2, 3], true],
    [[3, 4], true],
    [[5, 6], false],
  ]);
});

test('a position of an empty feed, or at the newest event, misses no later event', async () => {
  const companyId = await feedOf([]);
  const [empty, newest] = [await pageOf(companyId, 'oldest'), await pageOf(companyId, 'latest')];
  expect([empty.events, newest.events, newest.next]).toEqual([[], [], empty.next]);
  await appendEvents(world.store, companyId, companyEvents(4), startMs);
  expect(notesOf((await pageOf(companyId, empty.next)).events)).toEqual(upTo(4));
  const { next } = await pageOf(companyId, 'latest');
  await appendEvents(world.store, companyId, companyEvents(2, 5), startMs);
  expect(notesOf((await pageOf(companyId, next)).events)).toEqual([5, 6]);
});

describe('a segment that is not visible', () => {
  /** A store whose first read of segments happens before one of them is written. */
  const withoutAtFirst = (companyId: string, lastSeq: number): Store => {
    let isFirst = true;
    const send = async (command: object) => {
      const answer = await world.store.send(command as never);
      if (!(command instanceof QueryCommand) || !isFirst) return answer;
      isFirst = false;
      const { sk } = segmentKey(companyId, lastSeq);
      const { Items = [] } = answer as { Items?: { sk: string }[] };
      return { Items: Items.filter((item) => item.sk !== sk) };
    };
    return { ...world.store, send: send as Store['send'] };
  };

  test.each([
    ['within the feed', [2, 2, 2], [3, 4, 5, 6]],
    ['at its end', [2, 2], [3, 4]],
  ])('since it is being written, %s, ends the page before it; the next read finds it', async (_, counts, rest) => {
    const companyId = await feedOf(counts);
    const begin = await readFeed(withoutAtFirst(companyId, 4), companyId, { start: 'oldest', limit: 100 }, startMs);
    expect(begin).toMatchObject({ outcome: 'page', hasMore: true, next: { seq: 2 } });
    if (begin.outcome !== 'page') return;
    expect(notesOf(begin.events)).toEqual([1, 2]);
    const next = await readFeed(withoutAtFirst(companyId, 4), companyId, { start: begin.next, limit: 100 }, startMs);
    expect(next).toMatchObject({ outcome: 'page', hasMore: false });
    expect(next.outcome === 'page' && notesOf(next.events)).toEqual(rest);
  });

  test.each([
    ['within the feed', [2, 2, 2], 4],
    ['at its end', [2, 2], 4],
  ])('since it is lost, %s, is reported as lost, with a position after it', async (_, counts, behind) => {
    const companyId = await feedOf(counts);
    await forget(companyId, segmentKey(companyId, 4));
    const begin = await pageOf(companyId, 'oldest');
    expect([notesOf(begin.events), begin.next.seq, begin.hasMore]).toEqual([[1, 2], 2, true]);
    const oldest = { ...begin.next, seq: behind };
    expect(await read(companyId, begin.next)).toEqual({ outcome: 'cursor-expired', oldest, isLost: true });
    expect(await pageOf(companyId, oldest)).toMatchObject({ hasMore: false });
  });
});

describe('a position beyond the newest event', () => {
  test('has expired', async () => {
    const companyId = await feedOf([2]);
    const { next } = await pageOf(companyId, 'latest');
    const expired = { outcome: 'cursor-expired', oldest: { ...next, seq: 0 }, isLost: false };
    for (const beyond of [1, 1000]) expect(await read(companyId, { ...next, seq: next.seq + beyond })).toEqual(expired);
  });

  test('has not expired if the head was outdated, and costs another read only then', async () => {
    const companyId = await feedOf([2]);
    const old = await readHead(companyId);
    await appendEvents(world.store, companyId, companyEvents(2, 3), startMs);
    const { next } = await pageOf(companyId, 'latest');
    const commands: object[] = [];
    const store = withOldHead(old, commands);
    expect(await readFeed(store, companyId, { start: next, limit: 100 }, startMs)).toMatchObject({
      events: [],
      next,
      hasMore: false,
    });
    expect(commands.length).toBe(4);
    await readFeed(store, companyId, { start: { ...next, seq: 2 }, limit: 100 }, startMs);
    expect(commands.length).toBe(4 + 2);
  });
});

describe('a feed that is renewed', () => {
  const renew = async (companyId: string) => {
    const head = (await findHead(world.store, companyId)) ?? expect.fail('The feed has not begun.');
    await transact(world.store, { head: renewal(world.store, companyId, head) });
  };

  test.each([
    ['no gap', []],
    ['a gap in it', [4]],
    ['a gap at its beginning', [2]],
    ['a gap at its end', [6]],
    ['all events lost', [2, 4, 6]],
  ])('with %s shows later events, and no earlier ones', async (_, lost) => {
    const companyId = await feedOf([2, 2, 2]);
    const { next: position } = await pageOf(companyId, 'latest');
    for (const seq of lost) await forget(companyId, segmentKey(companyId, seq));
    await renew(companyId);
    const { epoch } = (await pageOf(companyId, 'latest')).next;
    const oldest = { epoch, seq: 6 };
    expect(await pageOf(companyId, 'oldest')).toEqual({ outcome: 'page', events: [], next: oldest, hasMore: false });
    for (const seq of [0, 2, 5, 6])
      expect(await read(companyId, { ...position, seq })).toEqual({ outcome: 'cursor-expired', oldest, isLost: false });
    expect(await read(companyId, { epoch, seq: 5 })).toMatchObject({ outcome: 'cursor-expired', oldest });

    await appendEvents(world.store, companyId, companyEvents(3, 7), startMs);
    for (const start of ['oldest', oldest] as const)
      expect(notesOf((await pageOf(companyId, start)).events)).toEqual([7, 8, 9]);
  });

  test('twice starts after the events that were appended in between', async () => {
    const companyId = await feedOf([2]);
    await renew(companyId);
    await appendEvents(world.store, companyId, companyEvents(1, 3), startMs);
    await renew(companyId);
    await appendEvents(world.store, companyId, companyEvents(1, 4), startMs);
    expect(notesOf((await pageOf(companyId, 'oldest')).events)).toEqual([4]);
  });

  test('shows later events for as long as events are kept', async () => {
    const companyId = await feedOf([2], [startMs - keptMs - 2]);
    await renew(companyId);
    await appendEvents(world.store, companyId, companyEvents(1, 3), startMs - keptMs - 1);
    await appendEvents(world.store, companyId, companyEvents(1, 4), startMs - keptMs);
    expect(notesOf((await pageOf(companyId, 'oldest')).events)).toEqual([4]);
  });
});

describe('a position before the oldest event that is kept', () => {
  const times = [startMs - keptMs - 2, startMs - keptMs - 1, startMs - keptMs, startMs];
  const removed = (companyId: string, seqs: readonly number[]) =>
    Promise.all(seqs.map((seq) => forget(companyId, segmentKey(companyId, seq))));

  test.each([
    ['not yet removed', []],
    ['removed', [2, 4]],
    ['removed in another order', [4]],
  ])('has expired while segments are %s; the result has the oldest position', async (_, gone) => {
    const companyId = await feedOf([2, 2, 2, 2], times);
    await removed(companyId, gone);
    const { epoch } = (await pageOf(companyId, 'latest')).next;
    const oldest = { epoch, seq: 4 };
    for (const seq of [0, 1, 2, 3])
      expect(await read(companyId, { epoch, seq })).toEqual({ outcome: 'cursor-expired', oldest, isLost: false });
    expect(notesOf((await pageOf(companyId, oldest)).events)).toEqual(upTo(8, 5));
    expect(notesOf((await pageOf(companyId, 'oldest')).events)).toEqual(upTo(8, 5));
  });

  test('has expired even if no event is kept; a position at the end has not', async () => {
    const companyId = await feedOf([2], [startMs - keptMs - 1]);
    await removed(companyId, [2]);
    const { next } = await pageOf(companyId, 'oldest');
    expect(next.seq).toBe(2);
    expect(await read(companyId, { ...next, seq: 1 })).toEqual({
      outcome: 'cursor-expired',
      oldest: next,
      isLost: false,
    });
    expect(await pageOf(companyId, next)).toMatchObject({ events: [], next, hasMore: false });
  });

  test('has expired if the feed was lost and started again, whatever its number', async () => {
    const companyId = await feedOf([3]);
    const { next } = await pageOf(companyId, 'oldest');
    await forget(companyId, headKey(companyId));
    await removed(companyId, [3]);
    const seqs = [0, 3, 9];
    const answers = await Promise.all(seqs.map((seq) => read(companyId, { ...next, seq })));
    const { next: begun } = await pageOf(companyId, 'latest');
    expect(begun.epoch).not.toBe(next.epoch);
    expect(answers).toEqual(
      seqs.map(() => ({ outcome: 'cursor-expired', oldest: begun satisfies FeedPosition, isLost: false })),
    );
  });
});
