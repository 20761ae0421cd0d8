import { describe, expect, test, vi } from 'vitest';
import { wait } from '../../../partner/client/responses.ts';
import {
  type Call,
  calls,
  expected,
  type Method,
  type ObstacleName,
  obstaclesNow,
  successes,
  until,
} from './obstacles.ts';
import { lostConnection, problem, type Sent, scriptedClient } from './scripted.ts';

/** The request as first sent, without its timeout. */
const asFirst = ([first]: readonly Sent[]) => [first?.url, { ...first?.init, signal: null }];

describe.each(Object.keys(expected) as ObstacleName[])('after %s', (name) => {
  test.each(Object.entries(calls) as [Method, Call][])(
    '%s is retried after the wait of the answer, or not at all',
    async (method, call) => {
      const { client, sent, waitedSeconds } = scriptedClient([obstaclesNow()[name], successes[method]]);
      const { ok } = await call(client);
      const { least, most, of } = expected[name];
      const isSentAgain = of.includes(method);
      expect({ ok, sent: sent.length, waits: waitedSeconds.length }).toEqual({
        ok: isSentAgain,
        sent: isSentAgain ? 2 : 1,
        waits: isSentAgain ? 1 : 0,
      });
      for (const seconds of waitedSeconds) {
        expect(seconds).toBeGreaterThanOrEqual(least);
        expect(seconds).toBeLessThanOrEqual(most);
      }
      for (const { url, init } of sent) expect([url, { ...init, signal: null }]).toEqual(asFirst(sent));
    },
  );
});

describe('patience', () => {
  const refusal = problem(429, 'throttled', { 'retry-after': '10' });

  test('of 30 seconds limits the waits of a call; beyond it, the call returns the answer', async () => {
    const { client, waitedSeconds } = scriptedClient([refusal]);
    const answer = await calls.GET(client);
    expect(waitedSeconds).toEqual([10, 10, 10]);
    expect(answer).toMatchObject({ ok: false, problem: { code: 'throttled' }, retryAfterSeconds: 10 });
  });

  test.each([
    [0, []],
    [9, []],
    [10, [10]],
    [19, [10]],
  ])('of %d seconds', async (patienceSeconds, waits) => {
    const { client, waitedSeconds } = scriptedClient([refusal], { patienceSeconds });
    expect((await calls.PUT(client)).ok).toBe(false);
    expect(waitedSeconds).toEqual(waits);
  });

  test('ends, too, if the connection keeps failing', async () => {
    const { client } = scriptedClient([lostConnection()], { patienceSeconds: 3 });
    expect(await calls.GET(client)).toMatchObject({
      ok: false,
      problem: { code: 'no-answer', detail: expect.stringContaining('Call again later') },
    });
  });

  test.each([
    ['a 429 without Retry-After', new Response(null, { status: 429 })],
    ['a 429 until a past date', until('Wed, 21 Oct 2015 07:28:00 GMT')],
    ['a connection that keeps failing', lostConnection()],
    ['a 502', new Response(null, { status: 502 })],
  ])('waits about a second after %s, then twice as long each time, within its bound', async (_, obstacle) => {
    const { client, waitedSeconds } = scriptedClient([obstacle]);
    expect((await calls.GET(client)).ok).toBe(false);
    // 1.5, 3, 6 and 12 seconds at most are within 30.
    expect(waitedSeconds.length).toBeGreaterThanOrEqual(4);
    for (const [attempt, seconds] of waitedSeconds.entries()) {
      expect(seconds).toBeGreaterThanOrEqual(0.5 * 2 ** attempt);
      expect(seconds).toBeLessThan(1.5 * 2 ** attempt);
    }
    expect(waitedSeconds.reduce((sum, seconds) => sum + seconds)).toBeLessThanOrEqual(30);
  });

  test('clients that are refused at the same time retry at different times', async () => {
    const waits = Array.from({ length: 20 }, async () => {
      const { client, waitedSeconds } = scriptedClient([new Response(null, { status: 429 }), successes.GET]);
      await calls.GET(client);
      return waitedSeconds[0];
    });
    expect(new Set(await Promise.all(waits)).size).toBeGreaterThan(10);
  });
});

describe('an abort', () => {
  test('ends the wait at once with its reason, without another request', async () => {
    const controller = new AbortController();
    const { client, sent } = scriptedClient([problem(429, 'throttled', { 'retry-after': '20' })], {
      wait: (seconds, signal) => {
        const waiting = wait(seconds, signal);
        controller.abort(new Error('The user has gone.'));
        return waiting;
      },
    });
    await expect(calls.GET(client, { signal: controller.signal })).rejects.toThrow('The user has gone.');
    expect(sent).toHaveLength(1);
  });

  test('is not a failed connection', async () => {
    const controller = new AbortController();
    const reason = new TypeError('Aborted.');
    const { client, sent } = scriptedClient([
      () => {
        controller.abort(reason);
        throw reason;
      },
    ]);
    await expect(calls.GET(client, { signal: controller.signal })).rejects.toBe(reason);
    expect(sent).toHaveLength(1);
    expect(sent[0]?.init.signal?.reason).toBe(reason);
  });

  test('before the wait rejects at once', async () => {
    await expect(wait(20, AbortSignal.abort('gone'))).rejects.toBe('gone');
  });
});

test('a wait longer than the maximum of a timer does not end at once', async () => {
  const controller = new AbortController();
  const waited = wait(2 ** 31 / 1000, controller.signal);
  const first = await Promise.race([waited, wait(0.05, undefined).then(() => 'still waiting')]);
  expect(first).toBe('still waiting');
  controller.abort('enough');
  await expect(waited).rejects.toBe('enough');
});

test('the waiting takes its time', async () => {
  const startMs = performance.now();
  await wait(0.05, undefined);
  expect(performance.now() - startMs).toBeGreaterThanOrEqual(49);
});

describe('an answer that times out', () => {
  const neverAnswered: typeof fetch = (_, init) =>
    new Promise((_, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)));

  test.each<[Method, number, AbortSignal | undefined]>([
    ['GET', 1, undefined],
    ['GET', 1, new AbortController().signal],
    ['PATCH', 0, undefined],
  ])('is a lost connection: %s is sent again %d times', async (method, times, signal) => {
    // The first wait is at most 1.5 seconds, and the second at least 1.
    const options = { fetch: neverAnswered, timeoutSeconds: 0.01, patienceSeconds: 1.5 };
    const { client, waitedSeconds } = scriptedClient([], options);
    const answer = await calls[method](client, signal && { signal });
    expect(answer).toMatchObject({
      ok: false,
      problem: { code: 'no-answer', detail: expect.stringMatching(/timeout/) },
    });
    expect(waitedSeconds).toHaveLength(times);
  });

  test.each([
    [undefined, 10_000],
    [2.5, 2500],
  ])('within %s seconds: %d ms', async (timeoutSeconds, timeoutMs) => {
    const timeout = vi.spyOn(AbortSignal, 'timeout');
    const { client } = scriptedClient([successes.GET], timeoutSeconds === undefined ? {} : { timeoutSeconds });
    await calls.GET(client);
    expect(timeout.mock.calls).toEqual([[timeoutMs]]);
    timeout.mockRestore();
  });
});

test('an error inside a custom fetch is not a failed connection', async () => {
  const { client, sent } = scriptedClient([new RangeError('A fault.')]);
  await expect(calls.GET(client)).rejects.toThrow('A fault.');
  expect(sent).toHaveLength(1);
});
