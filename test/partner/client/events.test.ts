import { describe, expect, test } from 'vitest';
import { feedEventTypes } from '../../../lambdas/api/schemas/feed.ts';
import { createTrigger, type EventsOptions, eventTypes, type FeedEvent } from '../../../partner/client/events.ts';
import { wait } from '../../../partner/client/responses.ts';
import { expiredCursor, feedPage, problem, type Scripted, scriptedClient } from './scripted.ts';

/** The end of a script: the client is refused. */
const refusal = problem(403, 'company-suspended');
const change = 'circuit.changed';

/** Follows a feed until its refusal. Returns the events and the calls of the caller's functions in order. */
const follow = async (script: readonly Scripted[], kept?: string, options: Partial<EventsOptions> = {}) => {
  const steps: string[] = [];
  const { client, sent } = scriptedClient(script, {
    wait: async (seconds) => void steps.push(`waits ${seconds}`),
  });
  const events = client.events({
    cursors: { read: async () => kept, keep: async (cursor) => void steps.push(`keeps ${cursor}`) },
    readState: async (because) => void steps.push(`reads state: ${because}`),
    ...options,
  });
  const failure = await (async () => {
    for await (const { id } of events) steps.push(id);
  })().catch((error: Error) => error);
  return { steps, failure, asked: sent.map(({ url }) => new URL(url).search) };
};

describe('the cursor', () => {
  test('is kept only after all events of its page were consumed', async () => {
    const { steps, asked } = await follow(
      [
        feedPage({ types: [change, change], next: 'b', hasMore: true }),
        feedPage({ types: [change], next: 'c' }),
        refusal,
      ],
      'a',
    );
    expect(steps).toEqual(['b.0', 'b.1', 'keeps b', 'c.0', 'keeps c', 'waits 7']);
    expect(asked).toEqual(['?after=a', '?after=b', '?after=c']);
  });

  test('is not kept again while the feed has no more events', async () => {
    const none = feedPage({ next: 'a' });
    expect((await follow([none, none, refusal], 'a')).steps).toEqual(['waits 7', 'waits 7']);
  });

  test('of a page is not kept if the caller stops within the page', async () => {
    const kept: string[] = [];
    const { client } = scriptedClient([feedPage({ types: [change, change], next: 'b' }), refusal]);
    const cursors = { read: async () => 'a', keep: async (cursor: string) => void kept.push(cursor) };
    for await (const _ of client.events({ cursors, readState: async () => {} })) break;
    expect(kept).toEqual([]);
  });

  test('starts after the newest event if none was kept, and is read before the state', async () => {
    const { steps, asked } = await follow([feedPage({ next: 'a' }), feedPage({ types: [change], next: 'b' }), refusal]);
    expect(steps).toEqual(['reads state: begin', 'keeps a', 'b.0', 'keeps b', 'waits 7']);
    expect(asked).toEqual(['?after=latest', '?after=a', '?after=b']);
  });

  test('is sent with the page size of the caller', async () => {
    expect((await follow([refusal], 'a', { pageSize: 10 })).asked).toEqual(['?after=a&limit=10']);
  });
});

describe('the state is read again', () => {
  test('after an expired cursor, before the oldest event that is kept', async () => {
    const { steps, asked } = await follow([expiredCursor, feedPage({ types: [change], next: 'b' }), refusal], 'a');
    expect(steps).toEqual(['reads state: cursor-expired', 'keeps old', 'b.0', 'keeps b', 'waits 7']);
    expect(asked).toEqual(['?after=a', '?after=old', '?after=b']);
  });

  test.each([
    ['withheld', feedPage({ types: [change], next: 'b', withheld: 2 })],
    ['access-changed', feedPage({ types: ['consent.changed'], next: 'b' })],
    ['access-changed', feedPage({ types: ['contract.changed'], next: 'b' })],
    ['access-changed', feedPage({ types: ['gateway.added'], next: 'b' })],
  ])('because of %s, when the events of the page were taken and before its cursor is kept', async (because, answer) => {
    const { steps } = await follow([answer, refusal], 'a');
    expect(steps).toEqual(['b.0', `reads state: ${because}`, 'keeps b', 'waits 7']);
  });

  test('once per page, however many of its events require it', async () => {
    const types = ['consent.changed', 'gateway.added', 'gateway.added'];
    const { steps } = await follow([feedPage({ types, next: 'b', withheld: 1 }), refusal], 'a');
    expect(steps.filter((each) => each.startsWith('reads'))).toEqual(['reads state: withheld']);
  });

  test('in the next iteration if it fails, because no cursor is kept', async () => {
    const readState = async () => {
      throw new Error('The database is away.');
    };
    const { steps, failure } = await follow([feedPage({ next: 'b', withheld: 1 })], 'a', { readState });
    expect([steps, failure]).toEqual([[], new Error('The database is away.')]);
  });

  test('for no other event types', async () => {
    const types = eventTypes.filter((type) => !['contract.changed', 'consent.changed', 'gateway.added'].includes(type));
    const { steps } = await follow([feedPage({ types: [...types, 'new.type'], next: 'b' }), refusal], 'a');
    expect(steps).toEqual([...types.map((_, index) => `b.${index}`), `b.${types.length}`, 'keeps b', 'waits 7']);
  });
});

describe('between two pages', () => {
  test('it continues at once while there are more events, unless the page did not move the cursor', async () => {
    const { steps } = await follow(
      [
        feedPage({ next: 'b', hasMore: true }),
        feedPage({ next: 'b', hasMore: true }),
        feedPage({ next: 'c' }),
        refusal,
      ],
      'a',
    );
    expect(steps).toEqual(['keeps b', 'waits 7', 'keeps c', 'waits 7']);
  });

  test('it waits for the function of the caller instead of the poll interval if there are no more events', async () => {
    const steps: string[] = [];
    const untilNext = async () => void steps.push('notified');
    const script = [
      feedPage({ next: 'b', hasMore: true }),
      feedPage({ next: 'b', hasMore: true }),
      feedPage({ next: 'c' }),
      refusal,
    ];
    const { steps: others } = await follow(script, 'a', { untilNext });
    expect([steps, others]).toEqual([['notified'], ['keeps b', 'waits 7', 'keeps c']]);
  });

  test.each(['', 'soon', '0', '-1'])('it waits 5 seconds if the poll interval of the answer is %j', async (seconds) => {
    expect((await follow([feedPage({ next: 'a' }, seconds), refusal], 'a')).steps).toEqual(['waits 5']);
  });

  test('an abort ends the wait with its reason', async () => {
    const controller = new AbortController();
    const { client, sent } = scriptedClient([feedPage({ next: 'a' })], {
      wait: async (_, signal) => {
        controller.abort(new Error('The user has gone.'));
        signal?.throwIfAborted();
      },
    });
    const cursors = { read: async () => 'a', keep: async () => {} };
    const events = client.events({ cursors, readState: async () => {}, signal: controller.signal });
    await expect(events.next()).rejects.toThrow('The user has gone.');
    expect(sent).toHaveLength(1);
    expect(sent[0]?.init.signal?.reason).toEqual(new Error('The user has gone.'));
  });
});

test('an abort within a page ends the iteration, and the cursor of the page is not kept', async () => {
  const controller = new AbortController();
  const kept: string[] = [];
  const { client } = scriptedClient([feedPage({ types: [change, change], next: 'b' })]);
  const cursors = { read: async () => 'a', keep: async (cursor: string) => void kept.push(cursor) };
  const events = client.events({ cursors, readState: async () => {}, signal: controller.signal });
  await events.next();
  controller.abort('gone');
  await expect(events.next()).rejects.toBe('gone');
  expect(kept).toEqual([]);
});

test('a refusal is thrown with its answer, and the kept cursor is unchanged', async () => {
  const { failure, steps } = await follow([refusal], 'a');
  expect(failure).toMatchObject({
    name: 'EventsError',
    message: 'Reading the feed: A title (company-suspended). A detail.',
    answer: { ok: false, problem: { code: 'company-suspended' } },
  });
  expect(steps).toEqual([]);
});

test('the client knows the event types of the service, and marks a newer one as unknown', async () => {
  expect(eventTypes).toEqual(Object.keys(feedEventTypes));
  const { client } = scriptedClient([feedPage({ types: ['toString', change], next: 'b' })]);
  const events = client.events({ cursors: { read: async () => 'a', keep: async () => {} }, readState: async () => {} });
  const next = async (): Promise<FeedEvent> => (await events.next()).value;
  expect(await next()).toMatchObject({ type: 'unknown-event', newType: 'toString', id: 'b.0' });
  expect(await next()).toEqual({
    id: 'b.1',
    type: change,
    at: '2036-03-10T12:00:00Z',
    resource: '/contract',
    data: {},
  });
});

describe('trigger', () => {
  /** A trigger whose timeout the test controls. */
  const openScene = () => {
    const waits: { seconds: number; end: () => void }[] = [];
    const trigger = createTrigger({
      atLeastEverySeconds: 60,
      wait: (seconds, signal) =>
        new Promise((resolve, reject) => {
          waits.push({ seconds, end: resolve });
          signal?.addEventListener('abort', () => reject(signal.reason));
        }),
    });
    return { trigger, waits };
  };

  test('firing ends the wait', async () => {
    const { trigger, waits } = openScene();
    const fired = trigger.fired();
    trigger.fire();
    await fired;
    expect(waits).toMatchObject([{ seconds: 60 }]);
  });

  test('firing before the wait is not lost, and counts once', async () => {
    const { trigger, waits } = openScene();
    trigger.fire();
    trigger.fire();
    await trigger.fired();
    expect(waits).toEqual([]);
    const next = trigger.fired();
    expect(waits).toHaveLength(1);
    waits[0]?.end();
    await next;
  });

  test('one firing does not end the next wait as well', async () => {
    const { trigger, waits } = openScene();
    const first = trigger.fired();
    trigger.fire();
    await first;
    const second = trigger.fired();
    expect(waits).toHaveLength(2);
    waits[1]?.end();
    await second;
  });

  test('without firing, the wait ends at its timeout', async () => {
    const { trigger, waits } = openScene();
    const fired = trigger.fired();
    waits[0]?.end();
    await fired;
  });

  test('an abort ends the wait with its reason, before and during it', async () => {
    const trigger = createTrigger({ wait });
    const stopping = new AbortController();
    const fired = trigger.fired(stopping.signal);
    stopping.abort(new Error('stopped'));
    await expect(fired).rejects.toThrow('stopped');
    trigger.fire();
    await expect(trigger.fired(stopping.signal)).rejects.toThrow('stopped');
  });
});
