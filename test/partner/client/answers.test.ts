import { describe, expect, test } from 'vitest';
import { operations } from '../../../partner/client/generated/operations.ts';
import { json, lostConnection, problem, scriptedClient } from './scripted.ts';

const said = {
  'x-request-id': 'r-1',
  'x-api-key-expires-at': '2036-09-15T12:00:00Z',
  ratelimit: '"gateway";r=2;t=1',
};
const path = { gatewayId: 'gw', circuitId: 'hc1' };
const read = (answer: Response | Error) => scriptedClient([answer]).client.call('getHeatingCircuit', { path });

test('a success has its body, its headers, and what every answer says', async () => {
  expect(await read(json(200, { circuitId: 'hc1' }, { ...said, ETag: '"7"' }))).toMatchObject({
    ok: true,
    status: 200,
    body: { circuitId: 'hc1' },
    headers: { etag: '"7"' },
    requestId: 'r-1',
    apiKeyExpiresAt: '2036-09-15T12:00:00Z',
    rateLimit: { policy: 'gateway', remaining: 2, nextInSeconds: 1 },
  });
});

test('a success without content', async () => {
  const { client } = scriptedClient([new Response(null, { status: 204, headers: said })]);
  const answer = await client.call('deleteApiKey', { path: { keyId: 'k' } });
  expect(answer).toMatchObject({ ok: true, status: 204, body: undefined, requestId: 'r-1' });
});

test('a problem is as the service put it, with what every answer says and when to come again', async () => {
  const answer = await read(problem(409, 'circuit-not-found', { ...said, 'retry-after': '3600' }));
  expect(answer).toMatchObject({
    ok: false,
    problem: { code: 'circuit-not-found', status: 409, title: 'A title', detail: 'A detail.' },
    retryAfterSeconds: 3600,
    requestId: 'r-1',
    apiKeyExpiresAt: '2036-09-15T12:00:00Z',
    rateLimit: { policy: 'gateway' },
  });
});

test('what an answer does not say is undefined', async () => {
  const nothing = { requestId: undefined, apiKeyExpiresAt: undefined, rateLimit: undefined };
  expect(await read(json(200, {}))).toMatchObject(nothing);
  expect(await read(problem(404, 'circuit-not-found'))).toMatchObject({ ...nothing, retryAfterSeconds: undefined });
  expect(await read(json(200, {}, { ratelimit: 'limit=3' }))).toMatchObject(nothing);
});

describe('an answer that the API document does not have', () => {
  const html = { 'content-type': 'text/html; charset=utf-8' };
  const aProblem = { 'content-type': 'application/problem+json' };
  test.each([
    ['a page of a proxy', new Response('<h1>Bad gateway</h1>', { status: 502, headers: html }), '<h1>Bad gateway</h1>'],
    ['a login page', new Response('<h1>Log in</h1>', { status: 200, headers: html }), '<h1>Log in</h1>'],
    ['JSON that is broken off', new Response('{"circ', { headers: { 'content-type': 'application/json' } }), '{"circ'],
    ['a problem that is broken off', new Response('{"code":', { status: 404, headers: aProblem }), '{"code":'],
    ['a problem that is none', new Response('null', { status: 404, headers: aProblem }), null],
    ['no content', new Response(null, { status: 204 }), ''],
    ['another success', json(202, { circuitId: 'hc1' }), { circuitId: 'hc1' }],
    ['a redirect', new Response(null, { status: 302, headers: { location: 'https://example.org' } }), ''],
    ['a refusal in other words', json(403, { message: 'Forbidden' }), { message: 'Forbidden' }],
  ])('%s', async (_, answer, body) => {
    expect(await read(answer)).toMatchObject({
      ok: false,
      problem: {
        code: 'unknown-answer',
        status: answer.status,
        body,
        title: expect.stringContaining(`${answer.status}`),
      },
    });
  });

  test.each(['a-new-problem', 'api-key-in-use'])(
    'a problem %s, which is not the operation’s, keeps its words',
    async (code) => {
      expect(await read(problem(409, code, said))).toMatchObject({
        ok: false,
        problem: { code: 'unknown-answer', status: 409, title: 'A title', detail: 'A detail.', body: { code } },
        requestId: 'r-1',
      });
    },
  );
});

test('a lost connection is an answer, which says if nobody knows whether the request was done', async () => {
  const lost = lostConnection();
  expect(await read(lost)).toMatchObject({ ok: false, problem: { code: 'no-answer', cause: lost, status: undefined } });
  const { client } = scriptedClient([lost]);
  const answer = await client.call('deleteApiKey', { path: { keyId: 'k' } });
  expect(answer).toMatchObject({ problem: { detail: expect.stringContaining('Nobody knows whether it was done') } });
});

test('a connection that is lost amid the answer is lost', async () => {
  const broken = new ReadableStream({ pull: (controller) => controller.error(new TypeError('terminated')) });
  const { client } = scriptedClient([() => new Response(broken, { headers: { 'content-type': 'application/json' } })]);
  expect(await client.call('getContract')).toMatchObject({ ok: false, problem: { code: 'no-answer' } });
});

test('no problem of the API has a code that the client gives', () => {
  const codes: string[] = Object.values(operations).flatMap(({ problemCodes }) => problemCodes);
  expect(codes).toContain('consent-outdated');
  for (const own of ['unknown-answer', 'no-answer']) expect(codes).not.toContain(own);
});
