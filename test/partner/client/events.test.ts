import { describe, expect, test } from 'vitest';
import { createTrigger } from '../../../partner/client/events.ts';
import { createPartnerClient } from '../../../partner/client/partner-client.ts';
import { wait } from '../../../partner/client/responses.ts';

/** Follows a feed from the cursor `a`. */
const eventsOf = (send: typeof fetch, signal?: AbortSignal) =>
  createPartnerClient({ baseUrl: 'https://api.example.com/v1', apiKey: 'a-key', fetch: send }).events({
    cursors: { read: async () => 'a', keep: async () => {} },
    readState: async () => {},
    ...(signal && { signal }),
  });

test('an abort ends the wait for the next page and rejects with its reason', async () => {
  const controller = new AbortController();
  const reason = new Error('The user has gone.');
  const body = JSON.stringify({ items: [], nextCursor: 'a', hasMore: false, withheld: 0 });
  let requests = 0;
  const events = eventsOf(async (_, init) => {
    requests++;
    init?.signal?.throwIfAborted();
    setTimeout(() => controller.abort(reason), 10);
    return new Response(body, { headers: { 'content-type': 'application/json', 'x-poll-interval': '1' } });
  }, controller.signal);
  await expect(events.next()).rejects.toBe(reason);
  expect(requests).toBe(1);
});

test('a refusal is thrown with its answer', async () => {
  const problem = { code: 'company-suspended', status: 403, title: 'A title', detail: 'A detail.', requestId: 'r' };
  const headers = { 'content-type': 'application/problem+json' };
  await expect(
    eventsOf(async () => new Response(JSON.stringify(problem), { status: 403, headers })).next(),
  ).rejects.toMatchObject({
    name: 'EventsError',
    message: 'Reading the feed: A title (company-suspended). A detail.',
    answer: { ok: false, problem },
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
