import { describe, expect, test, vi } from 'vitest';
import type { CallOptions, PartnerClient } from '../../../partner/client/partner-client.ts';
import { wait } from '../../../partner/client/responses.ts';
import { json, lostConnection, problem, type Sent, scriptedClient } from './scripted.ts';

type Call = (client: PartnerClient, options?: CallOptions) => Promise<{ readonly ok: boolean }>;

const path = { gatewayId: 'gw', circuitId: 'hc1', timeProgramId: '1' };

type Method = 'GET' | 'POST' | 'POST with Idempotency-Key' | 'PUT' | 'PATCH' | 'DELETE';

/** One of each method, and the one that says that it is a repeat. */
const calls: Readonly<Record<Method, Call>> = {
  GET: (client, options) => client.call('getHeatingCircuit', { path, ...options }),
  POST: (client, options) => client.call('createApiKey', options),
  'POST with Idempotency-Key': (client, options) =>
    client.call('createApiKey', { headers: { 'Idempotency-Key': 'x' }, ...options }),
  PUT: (client) => client.call('updateHeatingTimeProgram', { path, body: { name: 'Any', switchPoints: [] } }),
  PATCH: (client) => client.call('updateHeatingCircuit', { path, body: { operationMode: 'off' } }),
  DELETE: (client) => client.call('deleteApiKey', { path: { keyId: 'f3QnT7wLx0RkVb2Z' } }),
};

const successes: Readonly<Record<Method, Response>> = {
  GET: json(200, {}),
  POST: json(201, {}),
  'POST with Idempotency-Key': json(201, {}),
  PUT: json(202, {}),
  PATCH: json(202, {}),
  DELETE: new Response(null, { status: 204 }),
};

const retryAfter = { 'retry-after': '7' };
const until = (field: string) => problem(429, 'throttled', { 'retry-after': field });

/** As many seconds from now, in the three forms that a date of HTTP may have (RFC 9110, 5.6.7). */
const dateIn = (seconds: number) => new Date(Date.now() + seconds * 1000).toUTCString();
const asRfc850 = (date: string) =>
  date.replace(/^\w+, (\d+) (\w+) \d\d(\d\d)/, (_, day, month, year) => `Sunday, ${day}-${month}-${year}`);
const asAsctime = (date: string) => date.replace(/^(\w+), (\d+) (\w+) (\d+) ([\d:]+) GMT/, '$1 $3 $2 $5 $4');

const obstacles = {
  'a 429 of its own counter': problem(429, 'rate-limit-exceeded', retryAfter),
  'a 429 of the whole service': problem(429, 'throttled', retryAfter),
  'a 429 of a proxy': new Response('Slow down', { status: 429, headers: retryAfter }),
  'a 503': problem(503, 'service-unavailable', retryAfter),
  'a 503 of a proxy, which does not say how long': new Response('Away', { status: 503 }),
  'a 502': new Response('<h1>Bad gateway</h1>', { status: 502 }),
  'a 502 of API Gateway': json(502, { message: 'Internal server error' }),
  'a 504': json(504, { message: 'Endpoint request timed out' }),
  'a 504 that says how long': new Response(null, { status: 504, headers: retryAfter }),
  'a lost connection': lostConnection(),
  'a certificate that nobody vouches for': lostConnection({ code: 'SELF_SIGNED_CERT_IN_CHAIN' }),
  'a certificate of another host': lostConnection({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' }),
  'a certificate without its issuer': lostConnection({ code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' }),
  'a connection that is refused': lostConnection({ code: 'ECONNREFUSED' }),
  'a 500': problem(500, 'internal-error', retryAfter),
  'a blocked function': problem(409, 'appliance-function-blocked', retryAfter),
  'a 429 that does not say how long': problem(429, 'throttled'),
  'a 429 with decimals': until('2.5'),
  'a 429 until a date': until(dateIn(20)),
  'a 429 until a date as RFC 850 has it': until(asRfc850(dateIn(20))),
  'a 429 until a date as asctime has it': until(asAsctime(dateIn(20))),
  'a 429 until a date that has passed': until('Wed, 21 Oct 2015 07:28:00 GMT'),
  'a 429 for no time at all': until('0'),
  'a 429 for a negative time': until('-5'),
  'a 429 with two numbers': until('3, 4'),
  'a 429 until soon': until('soon'),
  'a 429 for longer than the patience': until('31'),
};

const all = Object.keys(calls);
const repeatable = ['GET', 'POST with Idempotency-Key'];
const none: readonly string[] = [];

type Waiting = { readonly of: readonly string[]; readonly least: number; readonly most: number };

const waiting = (of: readonly string[], least: number, most = least): Waiting => ({ of, least, most });
/** About a second, where the answer does not say how long. */
const aSecond = (of: readonly string[]) => waiting(of, 0.5, 1.5);
const twentySeconds = waiting(all, 10, 20);

/** Which methods wait after each obstacle, and how many seconds. */
const expected: Readonly<Record<keyof typeof obstacles, Waiting>> = {
  'a 429 of its own counter': waiting(all, 7),
  'a 429 of the whole service': waiting(all, 7),
  'a 429 of a proxy': waiting(all, 7),
  'a 503': waiting(repeatable, 7),
  'a 503 of a proxy, which does not say how long': aSecond(repeatable),
  'a 502': aSecond(repeatable),
  'a 502 of API Gateway': aSecond(repeatable),
  'a 504': aSecond(repeatable),
  'a 504 that says how long': waiting(repeatable, 7),
  'a lost connection': aSecond(repeatable),
  'a certificate that nobody vouches for': waiting(none, 0),
  'a certificate of another host': waiting(none, 0),
  'a certificate without its issuer': waiting(none, 0),
  'a connection that is refused': aSecond(repeatable),
  'a 500': waiting(none, 0),
  'a blocked function': waiting(none, 0),
  'a 429 that does not say how long': aSecond(all),
  'a 429 with decimals': waiting(all, 2.5),
  'a 429 until a date': twentySeconds,
  'a 429 until a date as RFC 850 has it': twentySeconds,
  'a 429 until a date as asctime has it': twentySeconds,
  'a 429 until a date that has passed': aSecond(all),
  'a 429 for no time at all': aSecond(all),
  'a 429 for a negative time': aSecond(all),
  'a 429 with two numbers': aSecond(all),
  'a 429 until soon': aSecond(all),
  'a 429 for longer than the patience': waiting(none, 0),
};

/** A request as it was sent first, its time-out aside. */
const asFirst = ([first]: readonly Sent[]) => [first?.url, { ...first?.init, signal: null }];

describe.each(Object.entries(obstacles) as [keyof typeof obstacles, Response | Error][])(
  'after %s',
  (name, obstacle) => {
    test.each(Object.entries(calls) as [Method, Call][])(
      '%s waits as long as the answer says and is sent again, or not at all',
      async (method, call) => {
        const { client, sent, waitedSeconds } = scriptedClient([obstacle, successes[method]]);
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
  },
);

describe('patience', () => {
  const refusal = problem(429, 'throttled', { 'retry-after': '10' });

  test('of 30 seconds bounds the waiting of a call; what would take longer is the answer', async () => {
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

  test('with a connection that stays lost ends too', async () => {
    const { client } = scriptedClient([lostConnection()], { patienceSeconds: 3 });
    expect(await calls.GET(client)).toMatchObject({
      ok: false,
      problem: { code: 'no-answer', detail: expect.stringContaining('Call again later') },
    });
  });

  test.each([
    ['a 429 that does not say how long', new Response(null, { status: 429 })],
    ['a 429 until a date that has passed', until('Wed, 21 Oct 2015 07:28:00 GMT')],
    ['a connection that stays lost', lostConnection()],
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

  test('clients that are refused together do not come back together', async () => {
    const waits = Array.from({ length: 20 }, async () => {
      const { client, waitedSeconds } = scriptedClient([new Response(null, { status: 429 }), successes.GET]);
      await calls.GET(client);
      return waitedSeconds[0];
    });
    expect(new Set(await Promise.all(waits)).size).toBeGreaterThan(10);
  });
});

describe('an abort', () => {
  test('ends the waiting at once, with its reason, and nothing is sent again', async () => {
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

  test('is no lost connection', async () => {
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

  test('before the waiting lets it not begin', async () => {
    await expect(wait(20, AbortSignal.abort('gone'))).rejects.toBe('gone');
  });
});

test('a wait for more milliseconds than a timer takes does not end at once', async () => {
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

describe('an answer that does not come in time', () => {
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

test('a fault in the fetch that was given is not taken for a lost connection', async () => {
  const { client, sent } = scriptedClient([new RangeError('A fault.')]);
  await expect(calls.GET(client)).rejects.toThrow('A fault.');
  expect(sent).toHaveLength(1);
});
