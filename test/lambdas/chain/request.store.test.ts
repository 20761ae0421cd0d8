import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { beforeAll, describe, expect, test } from 'vitest';
import { getContract } from '../../../lambdas/handlers/contract.ts';
import { call, readRequestEvent } from '../../support/call.ts';
import { expectContract } from '../../support/contract.ts';
import { onboard, openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

/** Returns the environment of a process with this clock, and its log. */
const processAt = (timeMs: number) => {
  const lines: string[] = [];
  const environment = {
    ...world.environment,
    processTimeMs: () => timeMs,
    log: (line: string) => void lines.push(line),
  };
  return { environment, lines };
};

const requestContext = { extendedRequestId: 'r1', requestTimeEpoch: startMs, identity: { sourceIp: '127.0.0.1' } };

describe('an event that is not from API Gateway is answered 500 and logged once, without a store call', () => {
  test.each<[string, unknown]>([
    ['nothing', null],
    ['an empty object', {}],
    ['no requestContext', { headers: {}, multiValueHeaders: {} }],
    [
      'an HTTP API',
      { version: '2.0', requestContext: { http: { method: 'GET' }, requestId: 'r', timeEpoch: startMs } },
    ],
    ['no identity', { requestContext: { ...requestContext, identity: undefined } }],
    ['no time', { requestContext: { ...requestContext, requestTimeEpoch: undefined } }],
    ['a time that is not a number', { requestContext: { ...requestContext, requestTimeEpoch: Number.NaN } }],
    ['no request id', { requestContext: { ...requestContext, extendedRequestId: undefined } }],
  ])('%s', async (_, event) => {
    world.proxy.begin();
    const { environment, lines } = processAt(startMs);
    const { statusCode, headers, body } = await getContract.withEnvironment(environment)(
      event as APIGatewayProxyEvent,
      { awsRequestId: 'own-id' } as Context,
    );
    const lowerCased = Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]);
    const answer = { status: statusCode, headers: Object.fromEntries(lowerCased), body: JSON.parse(body) };
    expectContract('getContract', answer);
    expect(answer.body).toMatchObject({ code: 'internal-error', requestId: 'own-id' });
    expect(lines).toHaveLength(1);
    const { event: logged } = readRequestEvent((lines[0] ?? '').trimEnd());
    expect(logged).toMatchObject({
      requestId: 'own-id',
      status: 500,
      error: expect.stringContaining('requestContext'),
    });
    expect(world.proxy.exchanges).toEqual([]);
  });
});

describe('a request whose clock is ahead of the process’s clock', () => {
  test('by at most the limit is served at its own time', async () => {
    const { key } = await onboard(world.store);
    const { environment } = processAt(startMs - 60_000);
    expect((await call('getContract', { apiKey: key.apiKey, environment })).status).toBe(200);
  });

  test('by more is logged as our fault, and closes no bucket', async () => {
    const { key } = await onboard(world.store);
    const { environment, lines } = processAt(startMs);
    const dayMs = 86_400_000;
    for (const nowMs of [startMs + dayMs, startMs + 60_001, Number.MAX_SAFE_INTEGER])
      expect((await call('getContract', { apiKey: key.apiKey, nowMs, environment })).body.code).toBe('internal-error');
    const events = lines.map((line) => readRequestEvent(line.trimEnd()).event);
    for (const { error, decision, timestamp } of events) {
      expect([decision, timestamp]).toEqual(['failed', new Date(startMs).toISOString().replace('.000Z', 'Z')]);
      expect(error).toMatch(/^Error: API Gateway's clock is \d+ ms ahead/);
    }
    const { headers } = await call('getContract', { apiKey: key.apiKey, environment });
    expect(headers.ratelimit).toBe('"general";r=4;t=1');
  });
});
