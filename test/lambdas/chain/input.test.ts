import { describe, expect, test } from 'vitest';
import { isChange } from '../../../lambdas/api/chain.ts';
import type { Endpoint } from '../../../lambdas/api/endpoints/endpoint.ts';
import { endpoints, type OperationId, operationIds } from '../../../lambdas/api/endpoints/endpoints.ts';
import { maxBodyBytes, maxCidrsPerKey, maxReportedErrors } from '../../../lambdas/api/limits.ts';
import { Problem } from '../../../lambdas/api/problems.ts';
import { input } from '../../../lambdas/chain/input.ts';
import { entityTagOf } from '../../../lambdas/domain/appliance.ts';
import { type CallOptions, goodProgram, proxyEvent } from '../../support/call.ts';

const pathIds = { any: 'id' };

/** Returns what the stage reads of a request, or its problem. */
const readInput = async (operationId: OperationId, options: CallOptions): Promise<unknown> =>
  input(endpoints[operationId] as Endpoint)({ event: proxyEvent(options), pathIds });

/** Returns the problem of a request, with its code and its errors; nothing else if the stage admits the request. */
const problemOf = async (...[operationId, options]: Parameters<typeof readInput>) => {
  const outcome = await readInput(operationId, options);
  if (!(outcome instanceof Problem)) return {};
  const { errors = [] } = outcome.occurrence as { errors?: { pointer: string; detail: string }[] };
  return { code: outcome.code, errors };
};

const errorsOf = async (...call: Parameters<typeof readInput>) => (await problemOf(...call)).errors ?? [];

const json = { 'Content-Type': ['application/json'] };

/** Requests to replace a time program. */
const put = (body: unknown, contentTypes: readonly string[] = ['application/json']): [OperationId, CallOptions] => [
  'updateHeatingTimeProgram',
  { headers: { 'Content-Type': contentTypes }, body },
];

test('a small body with thousands of faults is answered with the first fifty, not with megabytes', async () => {
  const fault = '{},';
  const switchPoints = `[${fault.repeat(8000)}{}]`;
  expect((await errorsOf(...put(`{"name":"x","switchPoints":${switchPoints}}`))).length).toBe(maxReportedErrors);
});

test('a body of long unknown names is not echoed', async () => {
  const names = Array.from({ length: 100 }, (_, index) => `${index}`.padEnd(300, 'x'));
  const errors = await errorsOf(...put(Object.fromEntries(names.map((name) => [name, 1]))));
  expect(errors.length).toBeGreaterThan(0);
  expect(JSON.stringify(errors).length).toBeLessThan(2000);
});

test('a body nested as deeply as its size allows is refused like any other', async () => {
  const nested = '['.repeat(15_000) + ']'.repeat(15_000);
  for (const body of [nested, `{"name":${nested},"name":"x"}`])
    expect((await problemOf(...put(body))).code).toBe('invalid-request');
});

describe('a body', () => {
  const program = { name: 'x', switchPoints: [] };

  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;charset="UTF-8"',
    'application/json  ;  charset=utf-8  ',
  ])('may be sent as %s', async (contentType) => {
    expect(await readInput(...put(program, [contentType]))).toMatchObject({ body: program });
  });

  test.each([
    [['text/json']],
    [['application/json; charset=latin1']],
    [['application/merge-patch+json']],
    [['text/application/json']],
    [['application/json5']],
    [['application/json ;']],
    [['']],
    [[]],
    [['application/json', 'application/json']],
  ])('may not be sent as %j', async (contentTypes) => {
    expect((await problemOf(...put(program, contentTypes))).code).toBe('unsupported-media-type');
  });

  test('may be sent in Base64', async () => {
    const body = Buffer.from(JSON.stringify(program)).toString('base64');
    const [operationId, options] = put(body);
    expect(await readInput(operationId, { ...options, isBase64Encoded: true })).toMatchObject({ body: program });
    expect((await problemOf(operationId, options)).errors).toEqual([{ pointer: '/body', detail: 'Expected JSON.' }]);
  });

  test('that is absent is empty, in either encoding', async () => {
    const expected = { code: 'invalid-request', errors: [{ pointer: '/body', detail: 'Expected JSON.' }] };
    for (const isBase64Encoded of [false, true])
      expect(await problemOf('updateHeatingTimeProgram', { headers: json, isBase64Encoded })).toEqual(expected);
  });

  test('that is optional may be absent, and then needs no media type; another needs it', async () => {
    for (const options of [{}, { body: '' }, { body: '', headers: json }])
      expect(await readInput('createApiKey', options)).toMatchObject({ body: {} });
    expect(await problemOf('createApiKey', { body: {} })).toMatchObject({ code: 'unsupported-media-type' });
    expect(await readInput('createApiKey', { body: { access: 'read' }, headers: json })).toMatchObject({
      body: { access: 'read' },
    });
    expect(await problemOf('updateHeatingTimeProgram', {})).toMatchObject({ code: 'unsupported-media-type' });
  });

  test('may be exactly as large as the limit', async () => {
    const text = JSON.stringify(program);
    expect(await problemOf(...put(text.padEnd(maxBodyBytes)))).toEqual({});
    expect((await problemOf(...put(text.padEnd(maxBodyBytes + 1)))).code).toBe('body-too-large');
  });

  test.each([
    [
      '{"name":"x","switchPoints":[{"dayOfWeek":"monday","time":"24:00","setpoint":"eco"}]}',
      '/body/switchPoints/0/time',
    ],
    ['{"name":"","switchPoints":[]}', '/body/name'],
    ['{"switchPoints":[]}', '/body/name'],
    ['{"name":"x","name":"x","switchPoints":[]}', '/body/name'],
    [
      '{"name":"x","switchPoints":[{"dayOfWeek":"monday","time":"06:00","setpoint":"eco","\\u0074ime":"07:00"}]}',
      '/body/switchPoints/0/time',
    ],
    ['{"a/b~c":1,"a/b~c":1}', '/body/a~1b~0c'],
    ['[]', '/body'],
    ['null', '/body'],
    ['', '/body'],
  ])('%s is refused with a pointer to %s', async (text, pointer) => {
    expect((await errorsOf(...put(text))).map((error) => error.pointer)).toContain(pointer);
  });
});

describe('a query', () => {
  const operations = operationIds.flatMap((operationId) => {
    const { query }: Endpoint = endpoints[operationId];
    return query ? [{ operationId, names: Object.keys(query().shape) }] : [];
  });

  test.each(operations)(
    'of $operationId with an unknown parameter is refused, and the refusal lists the known ones',
    async ({ operationId, names }) => {
      const detail = `Unknown parameter "utm". Expected ${names.join(' or ')}.`;
      const expected = { code: 'invalid-request', errors: [{ pointer: '/query/utm', detail }] };
      expect(await problemOf(operationId, { query: { utm: ['1'] } })).toEqual(expected);
    },
  );

  test.each([
    ['Limit', '/query/Limit'],
    ['limit ', '/query/limit '],
    ['limit[]', '/query/limit[]'],
    ['a/b~c', '/query/a~1b~0c'],
    ['', '/query/'],
    ['__proto__', '/query/__proto__'],
    ['constructor', '/query/constructor'],
    ['toString', '/query/toString'],
  ])('of a list with the parameter %j, once or twice, is refused, even with correct ones', async (name, pointer) => {
    for (const values of [['1'], ['1', '2']]) {
      const query = Object.fromEntries([
        ['limit', ['1']],
        [name, values],
      ]);
      expect(await errorsOf('listApiKeys', { query })).toEqual([
        { pointer, detail: `Unknown parameter "${name}". Expected limit or cursor.` },
      ]);
    }
  });

  test('of the feed with `cursor` is refused with a hint: it would return the oldest events each time', async () => {
    const hint = ' Send the cursor as after.';
    for (const [operationId, name, expected] of [
      ['listEvents', 'cursor', `limit or after.${hint}`],
      ['listEvents', 'cursors', 'limit or after.'],
      ['getUsage', 'cursor', 'by or from or to.'],
    ] as const)
      expect(await errorsOf(operationId, { query: { [name]: ['anything'] } })).toEqual([
        { pointer: `/query/${name}`, detail: `Unknown parameter "${name}". Expected ${expected}` },
      ]);
  });

  test('has each parameter once, and any of them or none', async () => {
    expect(await readInput('listApiKeys', { query: { limit: ['7'] } })).toMatchObject({ query: { limit: 7 } });
    expect(await readInput('listApiKeys', {})).toMatchObject({ query: { limit: 50 } });
    for (const limit of [
      ['7', '7'],
      ['7', '8', '9'],
    ])
      expect(await errorsOf('listApiKeys', { query: { limit } })).toEqual([
        { pointer: '/query/limit', detail: 'Expected the parameter once.' },
      ]);
    expect(await errorsOf('listApiKeys', { query: { limit: ['many'] } })).toMatchObject([{ pointer: '/query/limit' }]);
  });

  test('of a thousand parameters is answered with the first fifty', async () => {
    const query = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`p${index}`, ['1']]));
    expect((await errorsOf('listApiKeys', { query })).length).toBe(maxReportedErrors);
  });

  test('of an operation without parameters is ignored', async () => {
    expect(await readInput('getContract', { query: { utm: ['1'] } })).toEqual({ pathIds });
  });
});

describe('a header of a change', () => {
  const idempotent = (...values: string[]) => ({ headers: { 'Idempotency-Key': values } });
  const matching = (...values: string[]): CallOptions => ({
    headers: { ...json, 'If-Match': values },
    body: goodProgram,
  });

  test('with the key of a creation is read, and a malformed or second key is refused', async () => {
    expect(await readInput('createApiKey', idempotent('"value"'))).toMatchObject({ idempotencyKey: 'value' });
    expect(await readInput('createApiKey', {})).toMatchObject({ idempotencyKey: undefined });
    for (const values of [[''], ['"'], ['a', 'a'], ['a', 'b', 'c']])
      expect(await problemOf('createApiKey', idempotent(...values))).toEqual({
        code: 'invalid-request',
        errors: [{ pointer: '/header/Idempotency-Key', detail: expect.stringMatching(/^Expected /) }],
      });
    expect(
      await readInput('createWebhook', { ...idempotent('"'), body: { url: 'https://a.example/' } }),
    ).not.toHaveProperty('idempotencyKey', expect.anything());
  });

  test('with a version is read, and a value that is no version is refused', async () => {
    expect(await readInput('updateHeatingTimeProgram', matching('"3"'))).toMatchObject({
      ifMatch: [3].map(entityTagOf),
    });
    for (const value of ['3', '"x', ''])
      expect(await problemOf('updateHeatingTimeProgram', matching(value))).toEqual({
        code: 'invalid-request',
        errors: [{ pointer: '/header/If-Match', detail: expect.stringMatching(/^Expected /) }],
      });
  });

  const changes = operationIds.filter((operationId) => isChange(endpoints[operationId]));
  test.each(changes)(
    'that is a condition is refused if %s does not check it, and is never ignored',
    async (operationId) => {
      const isRefused = async (name: string, value: string) => {
        const errors = await errorsOf(operationId, { headers: { ...json, [name]: [value] }, body: '{}' });
        return errors.some(({ pointer }) => pointer === `/header/${name}`);
      };
      expect(await isRefused('If-None-Match', '*')).toBe(true);
      expect(await isRefused('If-Unmodified-Since', 'Sat, 21 Nov 2026 10:16:02 GMT')).toBe(true);
      expect(await isRefused('If-Match', '"3"')).toBe(!('ifMatch' in endpoints[operationId]));
      for (const ofReads of ['If-Modified-Since', 'If-Range']) expect(await isRefused(ofReads, 'x')).toBe(false);
    },
  );

  test.each<[OperationId, string]>([
    ['createApiKey', 'no condition'],
    ['updateHeatingTimeProgram', 'no condition but If-Match'],
  ])('that is a condition is refused by %s, which checks %s', async (operationId, checked) => {
    const errors = await errorsOf(operationId, { headers: { ...json, 'If-None-Match': ['*'] }, body: '{}' });
    const detail = `The service would not check it. Expected ${checked}.`;
    expect(errors).toEqual([{ pointer: '/header/If-None-Match', detail }]);
  });

  test('is not read by an operation without it', async () => {
    const headers = { 'Idempotency-Key': ['"'], 'If-Match': ['3'], 'If-None-Match': ['"3"'] };
    expect(await readInput('getContract', { headers })).toEqual({ pathIds });
  });
});

describe('a refusal says in a sentence what was expected', () => {
  const onlySettings =
    'Expected only operationMode, roomSetpointCelsius, coolingSetpointCelsius, levelSetpoints, heatingCurve, activeTimeProgramId, validUntil.';
  const tooMany = Array.from({ length: 101 }, (_, index) => `198.51.100.${index}/32`);

  test.each<[OperationId, object, string, string]>([
    [
      'updateHeatingCircuit',
      { roomSetpoint: 21 },
      '/body',
      `Unknown property "roomSetpoint": leave it out. ${onlySettings}`,
    ],
    [
      'updateHeatingCircuit',
      { displayName: 'Attic', target: null },
      '/body',
      `Unknown properties "displayName", "target": leave them out. ${onlySettings}`,
    ],
    ['updateHeatingCircuit', { roomSetpointCelsius: 151 }, '/body/roomSetpointCelsius', 'Expected at most 150.'],
    ['updateHeatingCircuit', { roomSetpointCelsius: -51 }, '/body/roomSetpointCelsius', 'Expected at least -50.'],
    [
      'createApiKey',
      { acess: 'read' },
      '/body',
      'Unknown property "acess": leave it out. Expected only access, allowedCidrs, label.',
    ],
    ['createApiKey', { allowedCidrs: [] }, '/body/allowedCidrs', 'Expected at least 1 item.'],
    ['createApiKey', { allowedCidrs: tooMany }, '/body/allowedCidrs', `Expected at most ${maxCidrsPerKey} items.`],
  ])('by %s of %j', async (operationId, body, pointer, detail) => {
    expect(await errorsOf(operationId, { headers: json, body })).toContainEqual({ pointer, detail });
  });
});
