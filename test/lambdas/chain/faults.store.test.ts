import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Endpoint } from '../../../lambdas/api/endpoints/endpoint.ts';
import { endpoints, type OperationId, operationIds } from '../../../lambdas/api/endpoints/endpoints.ts';
import type { TableName } from '../../../lambdas/api/tables.ts';
import { call, type EquippedCompany, equipCompany, goodCall } from '../../support/call.ts';
import { campaign, sampleOf } from '../../support/campaign.ts';
import { type Exchange, type Fault, type FaultPlan, isItemWrite } from '../../support/fault-proxy.ts';
import { injectFault, onboard, openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

/** One operation for each kind of own work: the two families of circuits share their code. */
const hasOwnWork = (operationId: OperationId) =>
  !operationId.includes('Dhw') &&
  Object.values((endpoints[operationId] as Endpoint).tableActions ?? {})
    .flat()
    .some((action) => action !== 'BatchGetItem');

const writesToken = (exchange: Exchange) =>
  isItemWrite(exchange) && exchange.input.TableName === world.store.tableName('TokenBuckets');

/** The store calls of a request into which a fault is injected. */
const moments: [string, (fault: ReturnType<FaultPlan>) => FaultPlan][] = [
  [
    'the batch read',
    (fault) =>
      ({ action }) =>
        action === 'BatchGetItem' ? fault : undefined,
  ],
  ['the token’s write', (fault) => (exchange) => (writesToken(exchange) ? fault : undefined)],
  ['every call', (fault) => () => fault],
];

/** Returns an environment whose function deadline passes when the test triggers it, until the end of the test. */
const holdDeadline = () => {
  const controller = new AbortController();
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(controller.signal);
  onTestFinished(() => timeout.mockRestore());
  return {
    environment: { ...world.environment, storeDeadlineMs: 2000 },
    /** The time limit of each request. */
    limitsMs: () => timeout.mock.calls.map(([ms]) => ms),
    pass: () => controller.abort(new DOMException('The deadline has passed.', 'TimeoutError')),
  };
};

/**
 * Returns the answers to requests while the store has the fault. If the store hangs, the deadline passes once all requests
 * wait.
 */
const answersDespite = async <Answers>(fault: Fault, requests: readonly Promise<Answers>[], deadline: Deadline) => {
  if (fault === 'hang') {
    await world.proxy.untilHung(requests.length);
    deadline.pass();
  }
  return Promise.all(requests);
};
type Deadline = ReturnType<typeof holdDeadline>;

describe.each<Fault>(['hang', 'throttle', 'lose-answer'])('a store whose answer is: %s', (fault) => {
  test.each(moments)(
    'at %s: 503 at the deadline or before, never our fault as 401, 404 or 429, never an unchecked 200',
    async (_, planOf) => {
      const { key } = await onboard(world.store, { keys: 2 });
      injectFault(world, planOf(fault));
      const deadline = holdDeadline();
      const { environment } = deadline;
      const [answer] = await answersDespite(
        fault,
        [call('getContract', { apiKey: key.apiKey, environment })],
        deadline,
      );
      expect(answer?.body.code).toBe('service-unavailable');
      expect(answer?.headers['retry-after']).toBe('1');
      expect(deadline.limitsMs()).toEqual([2000]);
    },
  );

  test('in each operation’s own store calls: the same', async () => {
    const ids = operationIds.filter(hasOwnWork);
    const companies = await Promise.all(ids.map(() => equipCompany(world.store)));
    const ownWork = ['Query', 'GetItem', 'TransactWriteItems'];
    injectFault(world, ({ action }) => (ownWork.includes(action) ? fault : undefined));
    const deadline = holdDeadline();
    const { environment } = deadline;
    const requests = ids.map((id, index) =>
      call(id, { ...goodCall(id, companies[index] as EquippedCompany), environment }),
    );
    const answers = await answersDespite(fault, requests, deadline);
    expect(answers.map(({ body }, index) => [ids[index], body.code])).toEqual(
      ids.map((id) => [id, 'service-unavailable']),
    );
  });
});

test.each([
  ['full', 0, '"general";r=4;t=1'],
  ['not full', 1, '"general";r=3;t=1'],
])(
  'after an answer is lost once, the request succeeds and is charged once: a bucket that is %s',
  async (_, earlier, left) => {
    const { key } = await onboard(world.store);
    for (let count = 0; count < earlier; count++) await call('getContract', { apiKey: key.apiKey });
    let lost = 0;
    injectFault(world, (exchange) => (writesToken(exchange) && lost++ === 0 ? 'lose-answer' : undefined));
    const { status, headers } = await call('getContract', { apiKey: key.apiKey });
    expect(status).toBe(200);
    expect(lost).toBeGreaterThan(0);
    expect(headers.ratelimit).toBe(left);
  },
);

test('unprocessed keys of the batch read are read again; if that fails, the answer is 503', async () => {
  const { key } = await onboard(world.store);
  let left = 0;
  injectFault(world, ({ action }) => (action === 'BatchGetItem' && left++ === 0 ? 'unprocessed' : undefined));
  expect((await call('getContract', { apiKey: key.apiKey })).status).toBe(200);
  world.proxy.begin(({ action }) => (action === 'BatchGetItem' ? 'unprocessed' : undefined));
  const { body } = await call('getContract', { apiKey: key.apiKey, nowMs: startMs + 1000 });
  expect(body.code).toBe('service-unavailable');
});

const hotItems: readonly [string, TableName][] = [
  ['key', 'ApiKeys'],
  ['company', 'Companies'],
  ['contract', 'Contracts'],
];
test.each(sampleOf(hotItems, 3))(
  'a hot %s that DynamoDB throttles, and it alone, is 503 and never our fault as 401, 403 or 404',
  campaign,
  async (_, table) => {
    const company = await equipCompany(world.store);
    const good = goodCall('getHeatingCircuit', company);
    expect((await call('getHeatingCircuit', good)).status).toBe(200);
    const isHot = (name: string) => name === world.store.tableName(table);
    injectFault(world, ({ action }) => (action === 'BatchGetItem' ? { isHot } : undefined));
    const { body, headers } = await call('getHeatingCircuit', { ...good, nowMs: startMs + 10_000 });
    expect(body.code).toBe('service-unavailable');
    expect(headers['retry-after']).toBe('1');
    expect(world.proxy.exchanges.filter(({ action }) => action === 'BatchGetItem').length).toBeGreaterThan(1);
  },
);

test('conflicts at every attempt are 503 after twelve attempts', async () => {
  const { key } = await onboard(world.store);
  injectFault(world, ({ action }) => (action === 'TransactWriteItems' ? 'conflict' : undefined));
  const { body } = await call('createApiKey', { apiKey: key.apiKey });
  expect(body.code).toBe('service-unavailable');
  expect(world.proxy.exchanges.filter(({ action }) => action === 'TransactWriteItems')).toHaveLength(12);
});

test('a store that accepts no connection is 503', async () => {
  const { key } = await onboard(world.store);
  await world.proxy.close();
  const { body } = await call('getContract', { apiKey: key.apiKey });
  await world.proxy.open();
  expect(body.code).toBe('service-unavailable');
});

test('a failure of ours is 500 and does not reveal its cause', async () => {
  const { key } = await onboard(world.store);
  const tableName = (name: string): never => {
    throw new Error(`There is no ${name}.`);
  };
  const environment = { ...world.environment, store: { ...world.store, tableName } };
  const { status, body } = await call('getContract', { apiKey: key.apiKey, environment });
  expect(status).toBe(500);
  expect(JSON.stringify(body)).not.toMatch(/There is no|stack|\.ts/);
});
