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
const obstacles = {
  'a 429 of its own counter': problem(429, 'rate-limit-exceeded', retryAfter),
  'a 429 of the whole service': problem(429, 'throttled', retryAfter),
  'a 429 of a proxy': new Response('Slow down', { status: 429, headers: retryAfter }),
  'a 503': problem(503, 'service-unavailable', retryAfter),
  'a lost connection': lostConnection(),
  'a certificate that nobody vouches for': lostConnection({ code: 'SELF_SIGNED_CERT_IN_CHAIN' }),
  'a certificate of another host': lostConnection({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' }),
  'a certificate without its issuer': lostConnection({ code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' }),
  'a connection that is refused': lostConnection({ code: 'ECONNREFUSED' }),
  'a 500': problem(500, 'internal-error', retryAfter),
  'a blocked function': problem(409, 'appliance-function-blocked', retryAfter),
  'a 429 that does not say how long': problem(429, 'throttled'),
  'a 429 until a date': problem(429, 'throttled', { 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' }),
  'a 429 for no time at all': problem(429, 'throttled', { 'retry-after': '0' }),
};

const all = Object.keys(calls);
const repeatable = ['GET', 'POST with Idempotency-Key'];

/** What each obstacle makes which methods wait. */
const expected: Readonly<Record<keyof typeof obstacles, { readonly seconds: number; readonly of: readonly string[] }>> =
  {
    'a 429 of its own counter': { seconds: 7, of: all },
    'a 429 of the whole service': { seconds: 7, of: all },
    'a 429 of a proxy': { seconds: 7, of: all },
    'a 503': { seconds: 7, of: repeatable },
    'a lost connection': { seconds: 1, of: repeatable },
    'a certificate that nobody vouches for': { seconds: 0, of: [] },
    'a certificate of another host': { seconds: 0, of: [] },
    'a certificate without its issuer': { seconds: 0, of: [] },
    'a connection that is refused': { seconds: 1, of: repeatable },
    'a 500': { seconds: 0, of: [] },
    'a blocked function': { seconds: 0, of: [] },
    'a 429 that does not say how long': { seconds: 0, of: [] },
    'a 429 until a date': { seconds: 0, of: [] },
    'a 429 for no time at all': { seconds: 0, of: [] },
  };

/** A request as it was sent first, its time-out aside. */
const asFirst = ([first]: readonly Sent[]) => [first?.url, { ...first?.init, signal: null }];

describe.each(Object.entries(obstacles) as [keyof typeof obstacles, Response | Error][])(
  'after %s',
  (name, obstacle) => {
    test.each(Object.entries(calls) as [Method, Call][])(
      '%s waits exactly as long as it is told and is sent again, or not at all',
      async (method, call) => {
        const { client, sent, waitedSeconds } = scriptedClient([obstacle, successes[method]]);
        const { ok } = await call(client);
        const { seconds, of } = expected[name];
        const isSentAgain = of.includes(method);
        expect({ ok, sent: sent.length, waitedSeconds }).toEqual({
          ok: isSentAgain,
          sent: isSentAgain ? 2 : 1,
          waitedSeconds: isSentAgain ? [seconds] : [],
        });
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
    const { client, sent } = scriptedClient([lostConnection()], { patienceSeconds: 3 });
    expect(await calls.GET(client)).toMatchObject({
      ok: false,
      problem: { code: 'no-answer', detail: expect.stringContaining('Call again later') },
    });
    expect(sent).toHaveLength(4);
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

test('the waiting takes its time', async () => {
  const startMs = performance.now();
  await wait(0.05, undefined);
  expect(performance.now() - startMs).toBeGreaterThanOrEqual(49);
});

describe('an answer that does not come in time', () => {
  const neverAnswered: typeof fetch = (_, init) =>
    new Promise((_, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)));

  test.each<[Method, readonly number[], AbortSignal | undefined]>([
    ['GET', [1], undefined],
    ['GET', [1], new AbortController().signal],
    ['PATCH', [], undefined],
  ])('is a lost connection: of %s, sent again after %j s', async (method, waits, signal) => {
    const options = { fetch: neverAnswered, timeoutSeconds: 0.01, patienceSeconds: 1 };
    const { client, waitedSeconds } = scriptedClient([], options);
    const answer = await calls[method](client, signal && { signal });
    expect(answer).toMatchObject({
      ok: false,
      problem: { code: 'no-answer', detail: expect.stringMatching(/timeout/) },
    });
    expect(waitedSeconds).toEqual(waits);
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
