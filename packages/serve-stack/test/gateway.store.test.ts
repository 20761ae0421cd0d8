import { readFileSync } from 'node:fs';
import { get as httpGet } from 'node:http';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { startDynamoDbProxy } from '../src/dynamodb/dynamodb-proxy.ts';
import { createFunctions } from '../src/functions/functions.ts';
import type { Exchange } from '../src/gateway/exchange.ts';
import { createGateway } from '../src/gateway/gateway.ts';
import { compileRestApi } from '../src/gateway/rest-api.ts';
import { createHttpsServer, serverCertificateIn } from '../src/host/certificates.ts';
import { closeServer, listenerOf, listenOnLoopback } from '../src/host/servers.ts';
import { createResolver } from '../src/template/intrinsics.ts';
import { echoApi } from './echo-api.ts';
import { call, temporaryDirectory, timeFactor } from './fixture.ts';

let baseUrl: string;
let ca: string;
const accessLog: string[] = [];
const exchanges: Exchange[] = [];
const closers: (() => unknown)[] = [];

beforeAll(async () => {
  const directory = temporaryDirectory();
  const resolve = createResolver(echoApi, { tablePrefix: '' });
  const proxy = await startDynamoDbProxy(inject('dynamoDbEndpoint'));
  const functions = createFunctions(echoApi, {
    resolve,
    proxy,
    codeDirectory: directory,
    logsDirectory: directory,
    timeFactor,
  });
  const api = compileRestApi(echoApi, resolve, () => false);
  const { caFile, ...tls } = await serverCertificateIn(directory);
  ca = readFileSync(caFile, 'utf8');
  const observe = (exchange: Exchange) => {
    exchanges.push(exchange);
    accessLog.push(api.accessLogLine(exchange));
  };
  const gateway = createGateway({ api, functions, observe });
  const server = createHttpsServer(tls, listenerOf(gateway));
  baseUrl = `https://${await listenOnLoopback(server)}`;
  closers.push(
    proxy.close,
    () => Promise.all([...functions.values()].map((pool) => pool.close())),
    () => closeServer(server),
  );
});
afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

const ask = (path: string, options: Parameters<typeof call>[2] = {}) => call(baseUrl, path, { ca, ...options });

const eventOf = async (path: string, options: Parameters<typeof call>[2] = {}) => {
  const { status, body } = await ask(path, options);
  expect(status).toBe(200);
  return JSON.parse(body);
};

describe('a function receives the request as a REST API event', () => {
  test('headers in the client’s spelling: the last duplicate, and all of them', async () => {
    const headers = ['x-api-key', 'one', 'X-Trace', 'a', 'x-api-key', 'two', 'X-API-Key', 'three'];
    const event = await eventOf('/v1/things', { headers });
    expect(event.headers).toMatchObject({ 'x-api-key': 'two', 'X-API-Key': 'three', 'X-Trace': 'a' });
    expect(event.multiValueHeaders).toMatchObject({ 'x-api-key': ['one', 'two'], 'X-API-Key': ['three'] });
  });

  test('X-Forwarded headers extend the client’s; hop-by-hop headers are dropped', async () => {
    const headers = ['X-Forwarded-For', '203.0.113.9', 'Connection', 'close', 'TE', 'trailers'];
    const event = await eventOf('/v1/things', { headers, localAddress: '127.0.0.2' });
    expect(event.multiValueHeaders['X-Forwarded-For']).toEqual(['203.0.113.9, 127.0.0.2']);
    expect(event.headers).toMatchObject({ 'X-Forwarded-Proto': 'https', 'X-Forwarded-Port': new URL(baseUrl).port });
    expect(Object.keys(event.headers)).not.toEqual(expect.arrayContaining(['Connection']));
    expect(event.requestContext.identity.sourceIp).toBe('127.0.0.2');
  });

  test.each([
    ['/v1/things', null, null],
    ['/v1/things?', null, null],
    ['/v1/things?a=1&b=%C3%BC+x&a=2', { a: '2', b: 'ü x' }, { a: ['1', '2'], b: ['ü x'] }],
    ['/v1/things?flag&empty=', { flag: '', empty: '' }, { flag: [''], empty: [''] }],
    ['/v1/things?__proto__=1', { ['__proto__']: '1' }, { ['__proto__']: ['1'] }],
  ])('the query of %s, decoded', async (path, single, multi) => {
    const event = await eventOf(path);
    expect([event.queryStringParameters, event.multiValueQueryStringParameters]).toEqual([single, multi]);
  });

  test.each([
    ['/v1/things', '/things', '/things', null],
    ['/v1/things/', '/things/', '/things', null],
    ['/v1/%74hings', '/%74hings', '/things', null],
    ['/v1/things/a%20b', '/things/a%20b', '/things/{id}', { id: 'a b' }],
    ['/v1/things/a%2Fb/', '/things/a%2Fb/', '/things/{id}', { id: 'a/b' }],
  ])(
    '%s: the path in the client’s spelling, parameters decoded',
    async (path, clientPath, resource, pathParameters) => {
      const event = await eventOf(path);
      expect(event).toMatchObject({ path: clientPath, resource, pathParameters, httpMethod: 'GET' });
      expect(event.requestContext).toMatchObject({ path, resourcePath: resource, httpMethod: 'GET' });
    },
  );

  test.each([
    ['https://localhost:8443/v1/things?a=1', '/v1/things', { a: '1' }],
    ['HTTP://api.example/v1/things/', '/v1/things/', null],
  ])('the whole URL as target, %s', async (target, path, queryStringParameters) => {
    const event = await eventOf(target, { method: 'POST' });
    expect(event).toMatchObject({ queryStringParameters, headers: { Host: new URL(target).host } });
    expect(event.requestContext).toMatchObject({ path, domainName: new URL(target).hostname });
  });

  test('the body as text, or null', async () => {
    expect((await eventOf('/v1/things', { method: 'POST', body: '{"ü":1}' })).body).toBe('{"ü":1}');
    expect(await eventOf('/v1/things', { method: 'POST' })).toMatchObject({ body: null, isBase64Encoded: false });
  });

  test('a method override, as API Gateway applies it', async () => {
    const event = await eventOf('/v1/things', { method: 'GET', headers: ['X-HTTP-Method-Override', 'POST'] });
    expect([event.httpMethod, event.requestContext.httpMethod]).toEqual(['POST', 'POST']);
  });

  test.each([
    ['chosen.1', true],
    ['a'.repeat(128), true],
    ['a'.repeat(129), false],
    ['x","status":"200', false],
    ['a b', false],
  ])('a request id %j that the client chooses is accepted: %s', async (chosen, isTaken) => {
    const { requestContext } = await eventOf('/v1/things', { headers: ['x-amzn-RequestId', chosen] });
    expect(requestContext.requestId === chosen).toBe(isTaken);
    expect(requestContext.extendedRequestId).toMatch(/^[\w-]{15}=$/);
  });

  test('an invalid method override is ignored', async () => {
    const headers = ['X-HTTP-Method-Override', 'GET","status":"200'];
    expect((await eventOf('/v1/things', { method: 'GET', headers })).httpMethod).toBe('GET');
  });

  test('one request id and one clock for all', async () => {
    const before = Date.now();
    const { body, headers } = await ask('/v1/things');
    const { requestContext } = JSON.parse(body);
    expect(requestContext).toMatchObject({
      accountId: '000000000000',
      apiId: 'local',
      stage: 'v1',
      protocol: 'HTTP/1.1',
    });
    expect(requestContext.requestId).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(headers['x-amzn-requestid']).toBe(requestContext.requestId);
    expect(requestContext.requestTimeEpoch).toBeGreaterThanOrEqual(before);
    expect(requestContext.requestTimeEpoch).toBeLessThanOrEqual(Date.now());
    expect(requestContext.requestTime).toMatch(/^\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000$/);
  });
});

describe('the template customizes API Gateway’s own responses', () => {
  test.each([
    ['an unknown path', '/v1/nowhere', {}, 404, 'MISSING_AUTHENTICATION_TOKEN'],
    ['an unknown method', '/v1/things', { method: 'PUT' }, 404, 'MISSING_AUTHENTICATION_TOKEN'],
    ['HEAD', '/v1/things', { method: 'HEAD' }, 404, ''],
    ['a refused address', '/v1/things', { localAddress: '127.0.0.3' }, 403, 'ACCESS_DENIED'],
    ['a refused address on an unknown path', '/v1/nowhere', { localAddress: '127.0.0.3' }, 403, 'ACCESS_DENIED'],
    ['a bad percent-encoding', '/v1/things/%zz', {}, 400, 'DEFAULT_4XX'],
    ['a function that may not be invoked', '/v1/unpermitted', {}, 500, 'DEFAULT_5XX'],
    ['a function that throws', '/v1/things?do=throw', {}, 502, 'DEFAULT_5XX'],
    ['a function whose process ends', '/v1/things?do=exit', {}, 502, 'DEFAULT_5XX'],
    ['a function that takes too long', '/v1/things?do=hang', {}, 502, 'DEFAULT_5XX'],
    ['an answer with an unknown member', '/v1/things?do=unknown-member', {}, 502, 'DEFAULT_5XX'],
    ['an answer whose body is no text', '/v1/things?do=object-body', {}, 502, 'DEFAULT_5XX'],
    ['an answer with a number for a header', '/v1/things?do=number-header', {}, 502, 'DEFAULT_5XX'],
    ['a header that HTTP does not allow', '/v1/things?do=broken-header', {}, 502, 'DEFAULT_5XX'],
    ['no answer', '/v1/things?do=nothing', {}, 502, 'DEFAULT_5XX'],
  ] as const)('%s', async (_, path, options, status, template) => {
    const answer = await ask(path, options);
    const requestId = answer.headers['x-amzn-requestid'];
    expect(answer.status).toBe(status);
    expect(answer.headers).toMatchObject({ 'content-type': 'application/problem+json', 'x-request-id': requestId });
    expect(answer.body).toBe(template && JSON.stringify({ template, requestId }));
  });

  test('a body that is too large gets API Gateway’s own response, which no template changes', async () => {
    const answer = await ask('/v1/things', { method: 'POST', body: Buffer.alloc(10 * 1024 * 1024 + 1, 'x') });
    expect([answer.status, answer.headers['content-type']]).toEqual([413, 'text/plain']);
    expect(
      (await ask('/v1/things?do=length', { method: 'POST', body: Buffer.alloc(10 * 1024 * 1024, 'x') })).body,
    ).toBe('10485760');
  });

  test('two headers Host are refused', async () => {
    expect((await ask('/v1/things', { headers: ['host', 'localhost'] })).status).toBe(400);
  });

  test('another stage does not exist', async () => {
    expect(await ask('/v2/things')).toMatchObject({ status: 403, body: '{"message":"Forbidden"}' });
    expect(await ask('//v1/things')).toMatchObject({ status: 403, body: '{"message":"Forbidden"}' });
  });
});

describe('a function’s answer is passed on as by API Gateway', () => {
  test('status, headers, and all values of a header', async () => {
    const { status, headers, body } = await ask('/v1/things?do=answer');
    expect([status, body]).toEqual([201, 'made']);
    expect(headers).toMatchObject({ 'content-type': 'text/plain', 'x-flag': 'true', 'set-cookie': ['a=1', 'b=2'] });
  });

  test('JSON is the default, 200 too', async () => {
    const { status, headers } = await ask('/v1/things?do=bare');
    expect([status, headers['content-type']]).toEqual([200, 'application/json']);
  });

  test('reserved headers are renamed; for a challenge, see decision 7', async () => {
    const { headers } = await ask('/v1/things?do=challenge');
    expect(headers).toMatchObject({ 'x-amzn-remapped-server': 's', 'www-authenticate': 'ApiKey realm="r"' });
    expect(headers).not.toHaveProperty('server');
  });
});

test('every request writes a line to the access log, in the stage’s format', async () => {
  accessLog.length = 0;
  const { headers } = await ask('/v1/things/7');
  await ask('/v1/nowhere');
  expect(accessLog).toEqual([
    `${headers['x-amzn-requestid']} 127.0.0.1 GET /things/{id} 200 -`,
    expect.stringMatching(/^\S+ 127\.0\.0\.1 GET - 404 MISSING_AUTHENTICATION_TOKEN$/),
  ]);
});

describe('the listener', () => {
  test('plain HTTP on the port fails', async () => {
    const answer = new Promise((resolve, reject) => {
      httpGet(`${baseUrl.replace('https', 'http')}/v1/things`, resolve).on('error', reject);
    });
    await expect(answer).rejects.toThrow(/socket hang up|ECONNRESET/);
  });

  test('a client without the local authority does not trust the certificate', async () => {
    await expect(call(baseUrl, '/v1/things')).rejects.toThrow(/certificate/);
  });
});
