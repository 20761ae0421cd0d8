import { beforeAll, expect, test } from 'vitest';
import { keptMs } from '../../../lambdas/data/feed/feed-items.ts';
import type { FeedEvent } from '../../../partner/client/events.ts';
import { createPartnerClient } from '../../../partner/client/partner-client.ts';
import { proven } from '../../support/campaign.ts';
import { upTo } from '../../support/feed.ts';
import { openWorld } from '../../support/world.ts';
import { openFeedScene } from './feed-scene.ts';

const minuteMs = 60_000;
beforeAll(() => openWorld());

/** Ends a run of the partner's program: it has nothing more to read, or it crashes. */
class Ended extends Error {}

const words = (event: FeedEvent): string => {
  if (event.type === 'consent.changed') return `consent ${event.data.consent.upToDate}`;
  return 'version' in event.data ? `${event.data.version}` : event.type;
};

/** A feed, and a partner's program that keeps only its cursor between runs. */
const openScene = async () => {
  const { answer, apiKey, ...scene } = await openFeedScene();
  /** All events that the program received, over all its runs. */
  const handled: string[] = [];
  let kept: string | undefined;
  /** Runs the program until the feed has no more events, or until it crashes after this many external calls. */
  const run = async ({ lastStep = Number.POSITIVE_INFINITY, pageSize = 50 } = {}) => {
    let steps = 0;
    const step = () => {
      if (++steps === lastStep) throw new Ended();
    };
    const client = createPartnerClient({
      baseUrl: 'https://api.example.com/v1',
      apiKey,
      fetch: async (...request) => {
        const answered = await answer(...request);
        step();
        return answered;
      },
      wait: async () => {
        throw new Ended();
      },
    });
    const keep = async (cursor: string) => {
      kept = cursor;
      step();
    };
    const events = client.events({
      cursors: { read: async () => kept, keep },
      readState: async (because) => void handled.push(because),
      pageSize,
    });
    try {
      for await (const event of events) {
        handled.push(words(event));
        step();
      }
    } catch (error) {
      if (!(error instanceof Ended)) throw error;
    }
    return steps;
  };
  return { ...scene, run, handled };
};

const numbersIn = (handled: readonly string[]) => handled.map(Number).filter((number) => !Number.isNaN(number));

test('a client that was down for an hour misses no event and gets each one once', async () => {
  const { clock, change, run, handled } = await openScene();
  await run();
  await change(1);
  await run();
  for (const version of upTo(21, 2)) {
    clock.nowMs += 3 * minuteMs;
    await change(version);
  }
  await run();
  expect(handled).toEqual(['begin', ...upTo(21).map(String)]);
});

test('a client that crashes at any step misses no event and repeats at most one page', proven, async () => {
  const { change, run, handled } = await openScene();
  await run();
  const pageSize = 2;
  const changes = 5;
  let version = 0;
  let lastStep = 0;
  for (let steps = 0; steps === lastStep; ) {
    const first = version + 1;
    for (let made = 0; made < changes; made++) await change(++version);
    const before = handled.length;
    steps = await run({ lastStep: ++lastStep, pageSize });
    await run({ pageSize });
    const numbers = numbersIn(handled.slice(before));
    expect(numbers.filter((number, index) => numbers.indexOf(number) === index)).toEqual(upTo(version, first));
    expect(numbers.length - changes).toBeLessThanOrEqual(pageSize);
  }
  expect(lastStep).toBeGreaterThan(changes);
});

test('a client that was down longer than events are kept reads the state and continues with the oldest', async () => {
  const { clock, change, run, handled } = await openScene();
  await run();
  await change(1);
  clock.nowMs += keptMs + minuteMs;
  await change(2);
  await run();
  expect(handled).toEqual(['begin', 'cursor-expired', '2']);
});

test('a withdrawal of consent stops events of appliances at once with a reason, and renewal resumes them', async () => {
  const { clock, change, withdraw, accept, run, handled } = await openScene();
  await run();
  await change(1);
  await run();
  await change(2);
  clock.nowMs += minuteMs;
  await withdraw();
  await change(3);
  await run();
  clock.nowMs += minuteMs;
  await accept();
  clock.nowMs += 1;
  await change(4);
  await run();
  expect(handled).toEqual(['begin', '1', 'consent false', 'withheld', 'consent true', '4', 'access-changed']);
});
