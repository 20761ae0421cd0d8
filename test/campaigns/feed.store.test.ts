import { beforeAll, expect, test } from 'vitest';
import { withdrawConsent } from '../../lambdas/data/contracts/consent.ts';
import { grantGateway } from '../../lambdas/data/contracts/grants.ts';
import { appendEvents } from '../../lambdas/data/feed/append.ts';
import { type FeedStart, readFeed } from '../../lambdas/data/feed/read.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { call } from '../support/call.ts';
import { campaign, playRounds } from '../support/campaign.ts';
import { companyEvent, companyEvents, notesOf } from '../support/feed.ts';
import { below, randomNumbers } from '../support/random.ts';
import { onboard, openWorld, startMs } from '../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const appenders = 8;
/** In each round. */
const eventsOfEach = 12;

/** A store that dies before or after a write at random, as an appender does. */
const killing = (random: () => number, count: { kills: number }): Store => ({
  ...world.store,
  send: (async (command: Parameters<Store['send']>[0]) => {
    const isWrite = command.constructor.name === 'TransactWriteCommand';
    const roll = isWrite ? below(random, 40) : 40;
    if (roll > 1) return world.store.send(command);
    count.kills++;
    if (roll === 1) await world.store.send(command);
    throw new Error('killed');
  }) as Store['send'],
});

/** Appends the events some at a time, as records of a stream come: what was killed comes again, from there on. */
const appendAll = async (companyId: string, first: number, random: () => number, count: { kills: number }) => {
  const store = killing(random, count);
  const events = companyEvents(eventsOfEach, first);
  for (let done = 0; done < events.length; ) {
    const batch = events.slice(done, done + 1 + below(random, 10));
    try {
      await appendEvents(store, companyId, batch, startMs);
      // Now and then a batch that was appended is delivered again.
      if (below(random, 10) > 0) done += batch.length;
    } catch (error) {
      if (!(error instanceof Error) || error.message !== 'killed') throw error;
    }
  }
};

test(
  `${appenders * eventsOfEach} events a round by ${appenders} appenders that are killed before and after their writes: a reader gets each once, those of an appender in their order, without a hole`,
  campaign,
  async (context) => {
    const companyId = 'feed';
    const count = { kills: 0 };
    let isOver = false;
    const seen: number[] = [];
    let pages = 0;
    const random = randomNumbers();
    const follow = async () => {
      for (let start: FeedStart = 'oldest', isLast = false; !isLast; pages++) {
        isLast = isOver;
        const page = await readFeed(world.store, companyId, start, 1 + below(random, 100), startMs);
        if (page.outcome !== 'page') return expect.fail('The cursor has expired.');
        expect(page.next.seq).toBe(seen.length + page.events.length);
        seen.push(...notesOf(page.events));
        start = page.next;
        isLast &&= !page.hasMore;
      }
    };
    const firsts = Array.from({ length: appenders }, (_, index) => 1 + index * 100_000);
    const reader = follow();
    const rounds = await playRounds(context, { test: 1, seconds: 30, full: 105 }, async (seed, round) => {
      const chances = randomNumbers(seed);
      await Promise.all(firsts.map((first) => appendAll(companyId, first + round * eventsOfEach, chances, count)));
    }).finally(() => {
      isOver = true;
    });
    await reader;
    expect(seen).toHaveLength(rounds * appenders * eventsOfEach);
    for (const first of firsts) {
      const own = seen.filter((note) => note >= first && note < first + 100_000);
      expect(own).toEqual(Array.from({ length: rounds * eventsOfEach }, (_, index) => first + index));
    }
    await context.annotate(
      `${seen.length} events, ${count.kills} kills, ${pages} pages read meanwhile, 0 lost, 0 twice, 0 out of order`,
    );
  },
);

const eventsPerPage = 100;
/** One less than a token bucket holds. */
const readers = 4;
const roundMs = 10_000;

test(
  'a withdrawal of consent amid reads: no answer to a request that began after it holds an event of an appliance',
  campaign,
  async (context) => {
    const count = { shown: 0, withheld: 0 };
    const withdrawals = await playRounds(
      context,
      { test: 1, seconds: 10, full: 40 },
      async () => {
        const { companyId, contract, key } = await onboard(world.store);
        await grantGateway(world.store, companyId, 'gw-1', startMs);
        const told = { type: 'circuit.changed', userId: contract.userId, gatewayId: 'gw-1', data: {} } as const;
        const events = Array.from({ length: eventsPerPage }, (_, note) => companyEvent(note, told));
        await appendEvents(world.store, companyId, events, startMs);
        let isWithdrawn = false;
        const readAmid = async (nowMs: number) => {
          const beganAfter = isWithdrawn;
          const { body } = await call('listEvents', {
            ...{ apiKey: key.apiKey, nowMs },
            query: { limit: [`${eventsPerPage}`] },
          });
          expect(body.items.length + body.withheld).toBe(eventsPerPage);
          if (beganAfter) expect(body.items).toEqual([]);
          count.shown += body.items.length;
          if (beganAfter) count.withheld += body.withheld;
        };
        const withdraw = async () => {
          const act = { companyId, nowMs: startMs + 1, requestId: 'r', operation: 'test', actorKey: null };
          expect(await withdrawConsent(world.store, act, contract)).toEqual({ outcome: 'applied' });
          isWithdrawn = true;
          // Others are still under way.
          await readAmid(startMs + roundMs);
        };
        for (const round of [0, 1, 2]) {
          // The token bucket is full again by then.
          const reads = Array.from({ length: readers }, () => readAmid(startMs + round * roundMs));
          await Promise.all([...reads, ...(round === 1 ? [withdraw()] : [])]);
        }
      },
      4,
    );
    // One read after each withdrawal, and those of the last round.
    expect(count.withheld).toBeGreaterThanOrEqual(withdrawals * (1 + readers) * eventsPerPage);
    await context.annotate(
      `${count.withheld} events withheld after withdrawals, ${count.shown} shown before, 0 shown after`,
    );
  },
);
