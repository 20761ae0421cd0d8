import { isDeepStrictEqual } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { endpoints, type OperationId, operationIds } from '../../../lambdas/api/endpoints/endpoints.ts';
import { brunoFiles } from '../../../partner/openapi/bruno.ts';
import { writtenAt } from '../../../partner/openapi/examples.ts';
import { apiDocument, resolve } from '../../support/api-document.ts';
import { call, equipCompany, goodCall } from '../../support/call.ts';
import { openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const withExample = operationIds.flatMap((operationId) => {
  const { path, method } = endpoints[operationId];
  const { requestBody } = apiDocument.paths[path][method.toLowerCase()];
  // Its example code was never sent to a receiver.
  if (!requestBody || operationId === 'verifyWebhook') return [];
  return [[operationId, requestBody.content['application/json'].example] as [OperationId, object]];
});

test.each(withExample)(
  'the example of %s, moved to the present, is accepted even years later',
  async (operationId, example) => {
    const body = writtenAt(startMs, example);
    const answer = await call(operationId, { ...goodCall(operationId, await equipCompany(world.store)), body });
    expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: endpoints[operationId].success.status });
  },
);

const changes = operationIds.filter((operationId) => endpoints[operationId].success.status === 202);

test.each(changes)(
  'the example of the answer to %s is what the example of the request leads to',
  async (operationId) => {
    const { path, method } = endpoints[operationId];
    const { requestBody, responses } = apiDocument.paths[path][method.toLowerCase()];
    const { headers, content } = responses[202];
    const { schema, example } = content['application/json'];
    expect(headers.ETag.example).toBe(`"${example.version}"`);
    const [confirmed] = resolve(schema.$ref).examples;
    const good = goodCall(operationId, await equipCompany(world.store));
    const sent = requestBody && { body: writtenAt(startMs, requestBody.content['application/json'].example) };
    const { body } = await call(operationId, { ...good, ...sent });
    expect(Object.keys(body)).toEqual(Object.keys(example));
    expect([body.state, body.version - 1, example.version - confirmed.version]).toEqual([example.state, 1, 1]);
    const changed = Object.keys(example).filter((name) => !isDeepStrictEqual(example[name], confirmed[name]));
    expect(changed).toContain('state');
    for (const name of changed) expect(shapeOf(body[name]), name).toEqual(shapeOf(example[name]));
  },
);

/** The names in a value, at any depth. */
const shapeOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).map(([name, part]) => [name, shapeOf(part)])
    : typeof value;

test('examples are moved to the day on which they are shown and keep their time of day', () => {
  const written = { day: '2026-11-20', at: ['2026-11-22T06:30:00Z'], text: 'since 2026-11-20', code: 7 };
  const shown = { ...written, day: '2036-03-09', at: ['2036-03-11T06:30:00Z'] };
  expect(writtenAt(Date.parse('2036-03-10T23:59:59Z'), written)).toEqual(shown);
});

test('no request of the Bruno collection has a fixed time', () => {
  const requests = [...brunoFiles()].filter(([, text]) => /\d{4}-\d\d-\d\d/.test(text)).map(([name]) => name);
  expect(requests).toEqual([]);
});
