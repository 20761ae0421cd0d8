import { beforeAll, describe, expect, test } from 'vitest';
import type { Endpoint } from '../../../lambdas/api/endpoints/endpoint.ts';
import { endpoints, type OperationId, operationIds } from '../../../lambdas/api/endpoints/endpoints.ts';
import { requestTimeouts, storeDeadlineMs } from '../../../lambdas/data/function-environment.ts';
import { call } from '../../support/call.ts';
import type { FaultPlan } from '../../support/fault-proxy.ts';
import { type EquippedCompany, equipCompany, goodCall } from '../../support/good-call.ts';
import { injectFault, onboard, openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld({ requestTimeouts, storeDeadlineMs });
});

const answerWithinMs = 2500;

/** One of each kind of own work: the two families of circuits are one piece of code. */
const hasOwnWork = (operationId: OperationId) =>
  !operationId.includes('Dhw') &&
  Object.values((endpoints[operationId] as Endpoint).tableActions ?? {})
    .flat()
    .some((action) => action !== 'BatchGetItem');

/** Which of a request's store calls are spoilt. */
const moments: [string, (fault: ReturnType<FaultPlan>) => FaultPlan][] = [
  [
    'the batch read',
    (fault) =>
      ({ action }) =>
        action === 'BatchGetItem' ? fault : undefined,
  ],
  [
    'the token’s write',
    (fault) =>
      ({ input }) =>
        input.UpdateExpression?.includes('tat') ? fault : undefined,
  ],
  ['every call', (fault) => () => fault],
];

const faults = ['hang', 'throttle', 'lose-answer'] as const;

describe.each(faults)('a store whose answer is: %s', (fault) => {
  test.each(moments)(
    'at %s: 503 in time, never our fault as 401, 404 or 429, never an unchecked 200',
    async (_, planOf) => {
      const { key } = await onboard(world.store, { keys: 2 });
      injectFault(world, planOf(fault));
      const startedAt = performance.now();
      const { body, headers } = await call('getContract', { apiKey: key.apiKey });
      expect(performance.now() - startedAt).toBeLessThan(answerWithinMs);
      expect(body.code).toBe('service-unavailable');
      expect(headers['retry-after']).toBe('1');
    },
  );

  // All at once: each would wait for two seconds.
  test('at the own work of each operation: 503 in time', async () => {
    const ids = operationIds.filter(hasOwnWork);
    const companies = await Promise.all(ids.map(() => equipCompany(world.store)));
    const ownWork = ['Query', 'GetItem', 'TransactWriteItems'];
    injectFault(world, ({ action }) => (ownWork.includes(action) ? fault : undefined));
    const outcomes = await Promise.all(
      ids.map(async (operationId, index) => {
        const startedAt = performance.now();
        const { body } = await call(operationId, goodCall(operationId, companies[index] as EquippedCompany));
        return { operationId, code: body.code, isInTime: performance.now() - startedAt < answerWithinMs };
      }),
    );
    expect(outcomes).toEqual(ids.map((operationId) => ({ operationId, code: 'service-unavailable', isInTime: true })));
  });
});

test('an answer that is lost once is made up for: the request succeeds and is charged once', async () => {
  const { key } = await onboard(world.store);
  let lost = 0;
  injectFault(world, ({ input }) =>
    input.UpdateExpression?.includes('tat') && lost++ === 0 ? 'lose-answer' : undefined,
  );
  const { status, headers } = await call('getContract', { apiKey: key.apiKey });
  expect(status).toBe(200);
  expect(headers.ratelimit).toBe('"general";r=4;t=1');
});

test('keys that the batch read leaves unprocessed are asked for again, then it is 503', async () => {
  const { key } = await onboard(world.store);
  let left = 0;
  injectFault(world, ({ action }) => (action === 'BatchGetItem' && left++ === 0 ? 'unprocessed' : undefined));
  expect((await call('getContract', { apiKey: key.apiKey })).status).toBe(200);
  world.proxy.begin(({ action }) => (action === 'BatchGetItem' ? 'unprocessed' : undefined));
  const { body } = await call('getContract', { apiKey: key.apiKey, nowMs: startMs + 1000 });
  expect(body.code).toBe('service-unavailable');
});

test('conflicts that do not end are 503 in time', async () => {
  const { key } = await onboard(world.store);
  injectFault(world, ({ action }) => (action === 'TransactWriteItems' ? 'conflict' : undefined));
  const startedAt = performance.now();
  const { body } = await call('createApiKey', { apiKey: key.apiKey });
  expect(performance.now() - startedAt).toBeLessThan(answerWithinMs);
  expect(body.code).toBe('service-unavailable');
});

test('a store that takes no connection is 503', async () => {
  const { key } = await onboard(world.store);
  await world.proxy.close();
  const { body } = await call('getContract', { apiKey: key.apiKey });
  await world.proxy.open();
  expect(body.code).toBe('service-unavailable');
});

test('a failure of our own is 500 and says nothing of its cause', async () => {
  const { key } = await onboard(world.store);
  const tableName = (name: string): never => {
    throw new Error(`There is no ${name}.`);
  };
  const environment = { ...world.environment, store: { ...world.store, tableName } };
  const { status, body } = await call('getContract', { apiKey: key.apiKey, environment });
  expect(status).toBe(500);
  expect(JSON.stringify(body)).not.toMatch(/There is no|stack|\.ts/);
});
