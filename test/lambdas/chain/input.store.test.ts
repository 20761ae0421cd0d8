import { beforeAll, describe, expect, test } from 'vitest';
import type { Endpoint } from '../../../lambdas/api/endpoints/endpoint.ts';
import { endpoints, type OperationId, operationIds } from '../../../lambdas/api/endpoints/endpoints.ts';
import { maxBodyBytes, maxCidrsPerKey, maxReportedErrors } from '../../../lambdas/api/limits.ts';
import { call, type EquippedCompany, equipCompany, goodCall } from '../../support/call.ts';
import { openWorld, startMs } from '../../support/world.ts';

let company: EquippedCompany;
beforeAll(async () => {
  company = await equipCompany((await openWorld()).store);
});

let minute = 0;
const put = (body: unknown, contentType = 'application/json') =>
  call('updateHeatingTimeProgram', {
    ...goodCall('updateHeatingTimeProgram', company),
    nowMs: startMs + minute++ * 60_000,
    headers: { 'x-user-id': [company.contract.userId], 'Content-Type': [contentType] },
    body,
  });

test('a small body with thousands of faults is answered with the first fifty, not with megabytes', async () => {
  const fault = '{},';
  const switchPoints = `[${fault.repeat(8000)}{}]`;
  const { body } = await put(`{"name":"x","switchPoints":${switchPoints}}`);
  expect(body.errors.length).toBe(maxReportedErrors);
  const points = Array.from({ length: 400 }, () => ({ dayOfWeek: 'monday', time: '06:01', setpoint: 'eco' }));
  expect((await put({ name: 'x', switchPoints: points })).body.errors.length).toBe(maxReportedErrors);
});

test('a body of long unknown names is not echoed', async () => {
  const names = Array.from({ length: 100 }, (_, index) => `${index}`.padEnd(300, 'x'));
  const { body } = await put(Object.fromEntries(names.map((name) => [name, 1])));
  expect(JSON.stringify(body.errors).length).toBeLessThan(2000);
});

test('a body nested as deeply as its size allows is refused like any other', async () => {
  const nested = '['.repeat(15_000) + ']'.repeat(15_000);
  for (const body of [nested, `{"name":${nested},"name":"x"}`]) expect((await put(body)).status).toBe(400);
});

describe('a body', () => {
  const program = { name: 'x', switchPoints: [] };

  test.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"'])(
    'may be sent as %s',
    async (contentType) => {
      expect((await put(program, contentType)).status).toBe(202);
    },
  );

  test.each(['text/json', 'application/json; charset=latin1', 'application/merge-patch+json', ''])(
    'may not be sent as %j',
    async (contentType) => {
      expect((await put(program, contentType)).status).toBe(415);
    },
  );

  test('may be exactly as large as the limit', async () => {
    const text = JSON.stringify(program);
    expect((await put(text.padEnd(maxBodyBytes))).status).toBe(202);
    expect((await put(text.padEnd(maxBodyBytes + 1))).status).toBe(413);
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
    const { status, body } = await put(text);
    expect(status).toBe(400);
    expect(body.errors.map((error: { pointer: string }) => error.pointer)).toContain(pointer);
  });
});

describe('a query', () => {
  let calls = 0;
  const withQuery = (operationId: OperationId, query: Record<string, string[]>) =>
    call(operationId, { ...goodCall(operationId, company), nowMs: startMs + 1e9 + calls++ * 60_000, query });

  const operations = operationIds.flatMap((operationId) => {
    const { query }: Endpoint = endpoints[operationId];
    return query ? [{ operationId, names: Object.keys(query().shape) }] : [];
  });

  test.each(operations)(
    'of $operationId with an unknown parameter is refused, and the refusal lists the known ones',
    async ({ operationId, names }) => {
      const { status, body } = await withQuery(operationId, { utm: ['1'] });
      expect(status).toBe(400);
      const detail = `Unknown parameter "utm". Expected ${names.join(' or ')}.`;
      expect(body).toMatchObject({ code: 'invalid-request', errors: [{ pointer: '/query/utm', detail }] });
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
      expect((await withQuery('listApiKeys', query)).body.errors).toMatchObject([{ pointer }]);
    }
  });

  test('of the feed with `cursor` is refused with a hint: it would return the oldest events each time', async () => {
    const { body } = await withQuery('listEvents', { cursor: ['anything'] });
    const detail = 'Unknown parameter "cursor". Expected limit or after. Send the cursor as after.';
    expect(body.errors).toEqual([{ pointer: '/query/cursor', detail }]);
  });

  test('of a thousand parameters is answered with the first fifty', async () => {
    const query = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`p${index}`, ['1']]));
    expect((await withQuery('listApiKeys', query)).body.errors.length).toBe(maxReportedErrors);
  });

  test('of an operation without parameters is ignored', async () => {
    expect((await withQuery('getContract', { utm: ['1'] })).status).toBe(200);
  });
});

describe('a refusal says in a sentence what was expected', () => {
  let calls = 0;
  const onlySettings =
    'Expected only operationMode, roomSetpointCelsius, coolingSetpointCelsius, heatingCurve, activeTimeProgramId.';
  const tooMany = Array.from({ length: 101 }, (_, index) => `198.51.100.${index}/32`);

  test.each<[OperationId, object, string, string]>([
    [
      'updateHeatingCircuit',
      { roomSetpoint: 21 },
      '/body',
      `Unknown property "roomSetpoint": leave it out. ${onlySettings}`,
    ],
    ['updateHeatingCircuit', { a: 1, b: 2 }, '/body', `Unknown properties "a", "b": leave them out. ${onlySettings}`],
    ['updateHeatingCircuit', { roomSetpointCelsius: 151 }, '/body/roomSetpointCelsius', 'Expected at most 150.'],
    ['updateHeatingCircuit', { roomSetpointCelsius: -51 }, '/body/roomSetpointCelsius', 'Expected at least -50.'],
    [
      'updateHeatingCircuit',
      { roomSetpointCelsius: 31 },
      '/body/roomSetpointCelsius',
      'Expected a temperature from 5 to 30 in steps of 0.5.',
    ],
    [
      'updateHeatingCircuit',
      { roomSetpointCelsius: 21.3 },
      '/body/roomSetpointCelsius',
      'Expected a temperature from 5 to 30 in steps of 0.5.',
    ],
    [
      'createApiKey',
      { acess: 'read' },
      '/body',
      'Unknown property "acess": leave it out. Expected only access, allowedCidrs, label.',
    ],
    ['createApiKey', { allowedCidrs: [] }, '/body/allowedCidrs', 'Expected at least 1 item.'],
    ['createApiKey', { allowedCidrs: tooMany }, '/body/allowedCidrs', `Expected at most ${maxCidrsPerKey} items.`],
  ])('by %s of %j', async (operationId, body, pointer, detail) => {
    const good = goodCall(operationId, company);
    const headers = { ...good.headers, 'content-type': ['application/json'] };
    const answer = await call(operationId, { ...good, headers, body, nowMs: startMs + 2e9 + calls++ * 60_000 });
    expect(answer.body.errors).toContainEqual({ pointer, detail });
  });
});
