import { describe, expect, test } from 'vitest';
import { readHomes } from '../../../partner/client/pages.ts';
import { createPartnerClient } from '../../../partner/client/partner-client.ts';
import { wait } from '../../../partner/client/responses.ts';

/** A client whose requests are sent by this function; it waits on a timer. */
const clientOf = (send: typeof fetch, options: { timeoutSeconds?: number } = {}) =>
  createPartnerClient({
    baseUrl: 'https://api.example.com/v1',
    apiKey: 'a-key',
    patienceSeconds: 0,
    fetch: send,
    ...options,
  });

describe('the timer of the client', () => {
  test('takes its time', async () => {
    const startMs = performance.now();
    await wait(0.05, undefined);
    expect(performance.now() - startMs).toBeGreaterThanOrEqual(49);
  });

  test('does not end at once if the wait is longer than the maximum of a timer', async () => {
    const controller = new AbortController();
    const waited = wait(2 ** 31 / 1000, controller.signal);
    const first = await Promise.race([waited, wait(0.05, undefined).then(() => 'still waiting')]);
    expect(first).toBe('still waiting');
    controller.abort('enough');
    await expect(waited).rejects.toBe('enough');
  });

  test('rejects at once with the reason of an earlier abort', async () => {
    await expect(wait(20, AbortSignal.abort('gone'))).rejects.toBe('gone');
  });
});

test('eight homes are read at a time', async () => {
  const contracts = { items: [{ userId: 'a', gatewayIds: Array(16).fill('gw') }], nextCursor: null };
  let [open, most] = [0, 0];
  const client = clientOf(async (url) => {
    most = Math.max(most, ++open);
    await wait(0.01, undefined);
    open -= 1;
    return Response.json(`${url}`.includes('/contracts') ? contracts : { nextCursor: null });
  });
  let homes = 0;
  for await (const { answer } of readHomes(client)) homes += Number(answer.ok);
  expect([homes, most]).toEqual([16, 8]);
});

test('an abort during a request rejects with its reason, and is not a failed connection', async () => {
  const controller = new AbortController();
  const reason = new TypeError('Aborted.');
  const sent: RequestInit[] = [];
  const client = clientOf(async (_, init = {}) => {
    sent.push(init);
    controller.abort(reason);
    throw reason;
  });
  await expect(client.call('getContract', { signal: controller.signal })).rejects.toBe(reason);
  expect(sent.map(({ signal }) => signal?.reason)).toEqual([reason]);
});

test.each([
  ['without a signal of the caller', undefined],
  ['with a signal of the caller', new AbortController().signal],
])('a request without an answer ends at its timeout, %s', async (_, signal) => {
  const neverAnswered: typeof fetch = (_, init) =>
    new Promise((_, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)));
  const client = clientOf(neverAnswered, { timeoutSeconds: 0.01 });
  const answer = await client.call('getContract', signal && { signal });
  expect(answer).toMatchObject({ problem: { code: 'no-answer', detail: expect.stringMatching(/timeout/) } });
});
