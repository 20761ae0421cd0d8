import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { operationIds } from '../../../lambdas/api/endpoints/endpoints.ts';
import { eventTypes } from '../../../partner/client/generated/event-types.ts';
import { operations } from '../../../partner/client/generated/operations.ts';
import type { OperationId } from '../../../partner/client/operation-types.ts';
import type { RequestParts } from '../../../partner/client/request.ts';
import { calls, expected, type Method, type ObstacleName, obstaclesNow, successes } from '../client/obstacles.ts';
import { apiKey, json, problem, type Scripted, scriptedClient } from '../client/scripted.ts';
import { playInPython, playScripted, python, rowsOf } from './driver.ts';

type Played = {
  readonly sent: readonly { readonly method: string; readonly url: string; readonly headers: object; body: unknown }[];
  readonly waits: readonly number[];
  readonly outcome: Readonly<Record<string, unknown>>;
};

type Call = {
  readonly operationId: OperationId;
  readonly request?: RequestParts;
  readonly script: readonly Scripted[];
  readonly options?: object;
};

const playAll = (all: readonly Call[]): Promise<Played[]> =>
  playScripted(
    'call',
    all.map((call) => ({ options: { apiKey }, ...call })),
  );

/** Returns the outcome of the same call in TypeScript, with the member names of Python. */
const playInTypeScript = async ({ operationId, request, script }: Call): Promise<Omit<Played, 'waits'>> => {
  const { client, sent } = scriptedClient(script);
  const call = client.call as (id: OperationId, parts?: RequestParts) => Promise<Record<string, unknown>>;
  const { problem: refusal, ...answer } = await call(operationId, request);
  const { code, status, title, detail, body = null } = (refusal ?? {}) as Record<string, unknown>;
  return {
    sent: sent.map(({ url, init, headers }) => ({
      method: String(init.method),
      url,
      headers: Object.fromEntries(headers),
      body: init.body ? JSON.parse(String(init.body)) : null,
    })),
    outcome: answer.ok ? answer : { ...answer, code, status, title, detail, body },
  };
};

/** Members that are None in Python are absent in TypeScript. */
const withoutNulls = (value: unknown) =>
  JSON.parse(JSON.stringify(value), (_, each) => (each === null ? undefined : each));

const words = (text: unknown) => String(text).replaceAll('base_url', 'baseUrl');

type Parameter = { name: string; in: 'path' | 'query' | 'header'; example?: string | number; examples?: object };
type Content = {
  content?: Record<string, { schema?: { $ref?: string }; examples?: Record<string, { value: unknown }> }>;
};
type Documented = {
  operationId: OperationId;
  parameters?: Parameter[];
  requestBody?: Content;
  responses: Record<string, Content>;
};

const document = JSON.parse(readFileSync('docs/openapi.json', 'utf8'));
const documented: Documented[] = Object.values<Record<string, Documented>>(document.paths).flatMap(Object.values);

const exampleIn = (content: Content | undefined): unknown => {
  const { schema } = content?.content?.['application/json'] ?? {};
  const name = schema?.$ref?.replace('#/components/schemas/', '') ?? '';
  return document.components.schemas[name]?.examples?.[0];
};

/** A call of each operation with all documented arguments, and the documented example as the answer. */
const wholeCalls: Call[] = documented.map(({ operationId, parameters = [], requestBody, responses }) => {
  const given = (place: Parameter['in']) =>
    Object.fromEntries(
      parameters
        .filter((each) => each.in === place && each.name !== 'x-user-id')
        .map(({ name, example = 'a-value' }) => [name, example]),
    );
  const body = exampleIn(requestBody);
  const [status = '', response] = Object.entries(responses).find(([each]) => each.startsWith('2')) ?? [];
  const answer = exampleIn(response);
  return {
    operationId,
    request: {
      path: given('path'),
      query: given('query'),
      headers: given('header'),
      ...(body ? { body } : {}),
    } as RequestParts,
    script: [
      answer
        ? json(Number(status), answer, { 'x-request-id': 'r-1', etag: '"7"', ratelimit: '"gateway";r=2;t=1' })
        : new Response(null, { status: Number(status) }),
    ],
  };
});

python('the Python client (needs python3, 3.9 or newer) has a method', () => {
  let surface: { methods: string[]; eventTypes: string[]; version: string };
  beforeAll(async () => {
    [surface = { methods: [], eventTypes: [], version: '' }] = await playInPython<typeof surface>([
      { play: 'surface' },
    ]);
  });
  const snake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

  test('exist exactly for each operation, and for the items of each list', () => {
    const lists = operationIds.filter((id) => id.startsWith('list') && id !== 'listEvents');
    const methods = [...operationIds.map(snake), ...lists.map((id) => snake(id).replace('list_', 'iter_'))];
    expect(surface.methods.toSorted()).toEqual(methods.toSorted());
  });

  test('and the types of events and the version of the TypeScript client', () => {
    expect(surface.eventTypes).toEqual(eventTypes);
    expect(surface.version).toBe(JSON.parse(readFileSync('partner/client/package.json', 'utf8')).version);
  });
});

python('each operation, called in Python and in TypeScript,', () => {
  let played: Played[];
  beforeAll(async () => {
    played = await playAll(wholeCalls);
  });

  test.each(wholeCalls.map((call, index) => [call.operationId, call, index] as const))(
    '%s sends the same request as TypeScript and reads the answer in the same way',
    async (_, call, index) => {
      const { sent, outcome } = await playInTypeScript(call);
      const decoded = (requests: Played['sent']) =>
        requests.map(({ url, ...each }) => ({ ...each, url: decodeURI(url) }));
      expect(outcome.ok).toBe(true);
      expect(withoutNulls(decoded(played[index]?.sent ?? []))).toEqual(withoutNulls(decoded(sent)));
      expect(withoutNulls(played[index]?.outcome)).toEqual(withoutNulls(outcome));
    },
  );

  test('raises a ProblemError for each problem', async () => {
    const codes = new Set(wholeCalls.flatMap(({ operationId }) => operations[operationId].problemCodes));
    const has = ({ operationId }: Call, code: string) =>
      operations[operationId].problemCodes.some((each) => each === code);
    const refusals = [...codes].map((code) => {
      const { operationId, request = {} } = wholeCalls.find((call) => has(call, code)) as Call;
      return { operationId, request, script: [problem(400, code)] };
    });
    const outcomes = (await playAll(refusals)).map(({ outcome: { kind, code } }) => `${kind} ${code}`);
    expect(outcomes).toEqual([...codes].map((code) => `ProblemError ${code}`));
  });
});

const read = (answer: Scripted): Call => ({
  operationId: 'getHeatingCircuit',
  request: { path: { gatewayId: 'gw', circuitId: 'hc1' } },
  script: [answer],
});

/** Undocumented answers, and edge cases of documented ones. */
const answers: Readonly<Record<string, Response>> = {
  'another case of the media type': json(200, { a: 1 }, { 'content-type': 'Application/JSON; Charset=UTF-8' }),
  'spaces in the media type': json(200, { a: 1 }, { 'content-type': 'application/json\t; charset="utf-8"' }),
  'a problem in another case': problem(404, 'circuit-not-found', { 'content-type': 'Application/Problem+JSON' }),
  'a problem with all that an answer says': problem(404, 'circuit-not-found', {
    'retry-after': '3600',
    'x-request-id': 'r-1',
    'x-api-key-expires-at': '2036-09-15T12:00:00Z',
    ratelimit: '"gateway";r=2;t=1',
  }),
  'another form of the rate limit': json(200, {}, { ratelimit: 'limit=3' }),
  'a byte order mark': new Response('\uFEFF{"a":1}', { headers: { 'content-type': 'application/json' } }),
  'a page of a proxy': new Response('<h1>Bad</h1>', { status: 500, headers: { 'content-type': 'text/html; a=b' } }),
  'a login page': new Response('<h1>Log in</h1>', { headers: { 'content-type': 'text/html' } }),
  'JSON that is broken off': new Response('{"circ', { headers: { 'content-type': 'application/json' } }),
  'a problem that is none': problem(404, ''),
  'null as a problem': json(404, null, { 'content-type': 'application/problem+json' }),
  'no content': new Response(null, { status: 204 }),
  'another success': json(202, { circuitId: 'hc1' }),
  'a redirect': new Response(null, { status: 302, headers: { location: 'https://example.org' } }),
  'a refusal in other words': json(403, { message: 'Forbidden' }),
  'a problem that is newer than the client': problem(409, 'a-new-problem'),
  'a problem of another operation': problem(409, 'api-key-in-use'),
};

python('an answer is read as in TypeScript:', () => {
  let played: Played[];
  beforeAll(async () => {
    played = await playAll(Object.values(answers).map(read));
  });

  test.each(rowsOf(answers))('%s', async (_, answer, index) => {
    const { kind, ...outcome } = played[index]?.outcome ?? {};
    const { outcome: same } = await playInTypeScript(read(answer));
    expect(withoutNulls({ ...outcome, detail: words(outcome.detail) })).toEqual(
      withoutNulls({ ...same, detail: words(same.detail) }),
    );
    if (!same.ok) expect(kind).toBe(same.code === 'unknown-answer' ? 'UnknownAnswerError' : 'ProblemError');
  });
});

/** Returns a call with the HTTP method. */
const requestOf = async (method: Method): Promise<Omit<Call, 'script'>> => {
  let made: Omit<Call, 'script'> | undefined;
  const call = async (operationId: OperationId, request: RequestParts = {}) => {
    made = { operationId, request };
    return { ok: true };
  };
  await calls[method]({ call } as never);
  return made as Omit<Call, 'script'>;
};

const methods = Object.keys(calls) as Method[];
const names = Object.keys(expected) as ObstacleName[];

python('after an obstacle', () => {
  let played: Played[];
  beforeAll(async () => {
    const obstacles = obstaclesNow();
    const each = names.flatMap((name) =>
      methods.map(async (method) => ({ ...(await requestOf(method)), script: [obstacles[name], successes[method]] })),
    );
    played = await playAll(await Promise.all(each));
  });

  test.each(names.flatMap((name, row) => methods.map((method, column) => [name, method, row, column] as const)))(
    '%s: %s waits and retries as in TypeScript, or not at all',
    (name, method, row, column) => {
      const { sent = [], waits = [], outcome } = played[row * methods.length + column] ?? {};
      const { of, least, most } = expected[name];
      const isSentAgain = of.includes(method);
      expect({ ok: outcome?.ok, sent: sent.length, waits: waits.length }).toEqual({
        ok: isSentAgain,
        sent: isSentAgain ? 2 : 1,
        waits: isSentAgain ? 1 : 0,
      });
      for (const seconds of waits) {
        expect(seconds).toBeGreaterThanOrEqual(least);
        expect(seconds).toBeLessThanOrEqual(most);
      }
      for (const each of sent) expect(each).toEqual(sent[0]);
    },
  );
});

python('patience', () => {
  const refusal = problem(429, 'throttled', { 'retry-after': '10' });
  const waitsOf = [
    { patienceSeconds: 30, waits: [10, 10, 10] },
    { patienceSeconds: 9, waits: [] },
    { patienceSeconds: 10, waits: [10] },
  ];
  const away = new Response(null, { status: 502 });
  let played: Played[];
  beforeAll(async () => {
    const limited = waitsOf.map(({ patienceSeconds }) => ({ ...read(refusal), options: { apiKey, patienceSeconds } }));
    played = await playAll([...limited, ...Array(5).fill(read(away))]);
  });

  test.each(waitsOf.map((each, index) => [each.patienceSeconds, each.waits, index] as const))(
    'of %d seconds limits the waits of a call: %j',
    (_, waits, index) => {
      expect(played[index]?.waits).toEqual(waits);
    },
  );

  test('waits about a second without Retry-After, doubled with each retry', () => {
    const waits = played[waitsOf.length]?.waits ?? [];
    expect(waits.length).toBeGreaterThanOrEqual(4);
    for (const [attempt, seconds] of waits.entries()) {
      expect(seconds).toBeGreaterThanOrEqual(0.5 * 2 ** attempt);
      expect(seconds).toBeLessThan(1.5 * 2 ** attempt);
    }
  });

  test('clients that are refused at the same time retry at different times', () => {
    const first = played.slice(waitsOf.length).map(({ waits: [seconds] }) => seconds);
    expect(new Set(first).size).toBeGreaterThan(1);
  });
});
