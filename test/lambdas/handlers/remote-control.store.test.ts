import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import { pathParametersOf } from '../../../lambdas/api/endpoints/endpoint.ts';
import { endpoints, type OperationId, operationIds } from '../../../lambdas/api/endpoints/endpoints.ts';
import { ratePolicies } from '../../../lambdas/api/limits.ts';
import { circuitItemKey } from '../../../lambdas/data/appliances/appliances.ts';
import { reportFacts } from '../../../lambdas/data/appliances/gateways.ts';
import { report } from '../../../lambdas/data/appliances/reports.ts';
import { timeProgramItemKey } from '../../../lambdas/data/appliances/time-programs.ts';
import { readAuditLog } from '../../../lambdas/data/audit.ts';
import { grantGateway } from '../../../lambdas/data/contracts/grants.ts';
import { encodeCursor } from '../../../lambdas/domain/encoding.ts';
import { connectivityFacts } from '../../../lambdas/domain/gateway.ts';
import { bucketIdOf, rateLimitKeyOf } from '../../../lambdas/domain/rate-limits.ts';
import { toTimestamp } from '../../../lambdas/domain/time.ts';
import {
  factTimesAt,
  installGateway,
  installGrantedGateway,
  putShadow,
  reportedCircuits,
  reportedProgram,
} from '../../support/appliance.ts';
import { type CallOptions, callsOf, equipCompany, goodProgram } from '../../support/call.ts';
import { campaign, sampleOf } from '../../support/campaign.ts';
import { openWorld, partiesOf, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

/** Far enough apart that no call exceeds the rate limit. */
const atMinute = (minute: number) => startMs + minute * 60_000;

const gatewayOperationIds = operationIds.filter((id) => pathParametersOf(endpoints[id].path).includes('gatewayId'));

/** Returns the header of the first answer after a full bucket. */
const afterOneRequest = (operationId: OperationId): string => {
  const { ratePolicy } = endpoints[operationId];
  const { burst, refillIntervalMs } = ratePolicies[ratePolicy];
  return `"${ratePolicy}";r=${burst - 1};t=${Math.ceil(refillIntervalMs / 1000)}`;
};

describe('a gateway that the contract does not cover', () => {
  const askNext = shareScene();
  let notCovered: readonly string[];
  beforeAll(async () => {
    const [foreign, nobodys] = await Promise.all([equipCompany(world.store), installGateway(world.store)]);
    notCovered = [foreign.gatewayId, nobodys.gatewayId, 'unknown'];
  });

  test.each(sampleOf(gatewayOperationIds, 3))(
    '%s: the answer has the same bytes whether it exists or not',
    campaign,
    async (operationId) => {
      const answers = [];
      for (const gatewayId of notCovered)
        answers.push(await askNext(operationId, { requestId: 'the-same' }, { gatewayId }));
      const [first, ...others] = answers.map((answer) => JSON.stringify(answer));
      expect(answers[0]).toMatchObject({ status: 403, body: { code: 'gateway-not-in-contract' } });
      expect(others).toEqual([first, first]);
    },
  );

  test('uses one counter of the company for all ids and operations: one row in the table', async () => {
    const { companyId, ask } = await openScene();
    const { burst } = ratePolicies.general;
    const misses = Array.from({ length: burst + gatewayOperationIds.length }, (_, index) => ({
      operationId: gatewayOperationIds[index % gatewayOperationIds.length] as OperationId,
      ids: { gatewayId: `guess-${index}`, circuitId: `c${index}`, timeProgramId: `${index}` },
    }));
    const codes = [];
    for (const { operationId, ids } of misses) codes.push((await ask(operationId, {}, ids)).body.code);
    expect(codes.slice(0, burst)).toEqual(Array(burst).fill('gateway-not-in-contract'));
    expect(new Set(codes.slice(burst))).toEqual(new Set(['rate-limit-exceeded']));

    const { body } = await ask('getGateway', {}, { gatewayId: 'another-guess' });
    expect(body).toMatchObject({
      policy: 'general',
      counter: { companyId, endpoint: 'gateway-not-in-contract', path: '/hvacs/{gatewayId}' },
      limit: ratePolicies.general,
      retryAfterMs: ratePolicies.general.refillIntervalMs,
    });
    expect(body.counter).not.toHaveProperty('gatewayId');
    expect((await bucketIdsOf(companyId)).length).toBe(1);
  });

  test('costs the same with concurrent as with sequential requests', async () => {
    const { companyId, ask } = await openScene();
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => ask('getGateway', {}, { gatewayId: `guess-${index}` })),
    );
    const missed = answers.filter(({ body }) => body.code === 'gateway-not-in-contract');
    expect(missed.length).toBe(ratePolicies.general.burst);
    expect((await bucketIdsOf(companyId)).length).toBe(1);
  });

  test('does not affect the counters of covered gateways and of other companies', async () => {
    const [own, other] = [await openScene(), await openScene()];
    for (let miss = 0; miss <= ratePolicies.general.burst; miss++)
      await own.ask('getGateway', {}, { gatewayId: 'unknown' });
    const good = await own.ask('getGateway');
    expect(good.status).toBe(200);
    expect(good.headers.ratelimit).toBe(afterOneRequest('getGateway'));
    expect((await own.ask('listGateways')).headers.ratelimit).toBe(afterOneRequest('listGateways'));
    expect((await other.ask('getGateway', {}, { gatewayId: 'unknown' })).body.code).toBe('gateway-not-in-contract');
  });

  test('can be used by the next request once it is added to the contract', async () => {
    const { companyId, ask } = await openScene();
    const { gatewayId } = await installGateway(world.store);
    expect((await ask('getGateway', {}, { gatewayId })).status).toBe(403);
    await grantGateway(world.store, partiesOf(companyId), gatewayId, startMs);
    expect((await ask('getGateway', {}, { gatewayId })).status).toBe(200);
  });
});

describe('a gateway that is offline', () => {
  test.each(['updateHeatingCircuit', 'updateDhwCircuit', 'updateHeatingTimeProgram', 'updateDhwTimeProgram'] as const)(
    'still accepts the change of %s, and the answer shows that it is offline',
    async (operationId) => {
      const { gatewayId, ask } = await openScene();
      await reportFacts(world.store, gatewayId, connectivityFacts('offline', startMs), factTimesAt(startMs));
      const { status, body } = await ask(operationId);
      expect(status).toBe(202);
      expect(body).toMatchObject({ state: 'pending', connectivity: 'offline' });
    },
  );

  test('is shown as offline, with the time when it was last seen', async () => {
    const { gatewayId, ask } = await openScene();
    await reportFacts(world.store, gatewayId, connectivityFacts('offline', startMs + 1), factTimesAt(startMs + 1));
    const shown = { connectivity: 'offline', lastSeenAt: toTimestamp(startMs + 1) };
    expect((await ask('getGateway')).body).toMatchObject(shown);
    expect((await ask('listGateways')).body.items).toEqual([expect.objectContaining({ gatewayId, ...shown })]);
  });
});

describe('pages have each item once, with one, three or a hundred items per page', () => {
  const limits = [1, 3, 100];

  test('of gateways', async () => {
    const { companyId, gatewayId, ask } = await openScene();
    const granted = [gatewayId];
    for (let added = 0; added < 6; added++)
      granted.push((await installGrantedGateway(world.store, companyId)).gatewayId);
    for (const limit of limits) {
      const items = await readPages(ask, 'listGateways', limit);
      expect(items.map((item) => item.gatewayId)).toEqual(granted.toSorted());
    }
  });

  test('of the circuits of one family', async () => {
    const { gatewayId, ask } = await openScene();
    const circuitIds = ['c1', 'c10', 'c2', 'c3', 'c3.1'];
    for (const circuitId of circuitIds)
      await putShadow(world.store, circuitItemKey(gatewayId, 'heating', circuitId), { circuitId }, reportedNow);
    for (const limit of limits) {
      const items = await readPages(ask, 'listHeatingCircuits', limit);
      expect(items.map((item) => item.circuitId).toSorted()).toEqual(circuitIds);
      expect((await readPages(ask, 'listDhwCircuits', limit)).map((item) => item.circuitId)).toEqual(['c1', 'c2']);
    }
  });

  test('of the time programs of one circuit', async () => {
    const { gatewayId, ask } = await openScene();
    const programOf = (circuitId: string, timeProgramId: string) =>
      putShadow(
        world.store,
        timeProgramItemKey(gatewayId, 'heating', circuitId, timeProgramId),
        { timeProgramId },
        { ...reportedNow, reported: reportedProgram },
      );
    for (const timeProgramId of ['10', '3', '4']) await programOf('c1', timeProgramId);
    // The id of this circuit has the other's id as its prefix.
    await programOf('c10', 'other');
    for (const limit of limits) {
      const items = await readPages(ask, 'listHeatingTimePrograms', limit);
      expect(items.map((item) => item.timeProgramId)).toEqual(['1', '10', '2', '3', '4']);
    }
  });

  test('a cursor whose position is not an id is refused without a store call, even with a valid checksum', async () => {
    const { companyId, gatewayId, ask } = await openScene();
    const tooLong = 'x'.repeat(65);
    for (const [minute, position] of ['', tooLong, 'c1#'].entries())
      for (const operationId of ['listGateways', 'listHeatingCircuits'] as const) {
        const counter = rateLimitKeyOf(companyId, operationId, endpoints[operationId].path, { gatewayId });
        const query = { cursor: [encodeCursor(bucketIdOf(counter), position)] };
        expect((await ask(operationId, { nowMs: atMinute(minute), query })).body.errors, position).toEqual([
          { pointer: '/query/cursor', detail: expect.any(String) },
        ]);
      }
  });

  test('a cursor of one list is refused by another list', async () => {
    const { ask } = await openScene();
    const { body } = await ask('listHeatingCircuits', { query: { limit: ['1'] } });
    const query = { cursor: [body.nextCursor] };
    for (const other of ['listDhwCircuits', 'listHeatingTimePrograms', 'listGateways'] as const)
      expect((await ask(other, { query })).body.errors).toEqual([
        { pointer: '/query/cursor', detail: expect.any(String) },
      ]);
  });
});

describe('an update of a circuit', () => {
  test('is pending at once, is merged with pending values, and is confirmed as a whole', async () => {
    const { gatewayId, ask } = await openScene();
    const { body: before } = await ask('getHeatingCircuit');
    const first = await ask('updateHeatingCircuit', { body: { operationMode: 'off' } });
    const second = await ask('updateHeatingCircuit', { body: { roomSetpointCelsius: 19.5, activeTimeProgramId: '2' } });
    const desired = { operationMode: 'off', roomSetpointCelsius: 19.5, activeTimeProgramId: '2' };
    expect(first.body).toMatchObject({ operationMode: 'off', roomSetpointCelsius: 21, state: 'pending', version: 2 });
    expect(before).toMatchObject({ gatewayId, ...reportedCircuits.heating, state: 'confirmed' });
    expect(second.body).toEqual({ ...before, ...desired, state: 'pending', version: 3 });
    const pending = second.body;
    const read = await ask('getHeatingCircuit');
    expect(read).toMatchObject({ body: pending, headers: { etag: '"3"' } });
    expect((await ask('listHeatingCircuits')).body.items[0]).toEqual(pending);

    const key = circuitItemKey(gatewayId, 'heating', 'c1');
    const reported = { ...reportedCircuits.heating, ...desired };
    await report(world.store, key, { reported, fulfilsVersion: 3 }, factTimesAt(startMs));
    const confirmed = { ...pending, state: 'confirmed', reportedAt: toTimestamp(startMs) };
    expect((await ask('getHeatingCircuit')).body).toEqual(confirmed);
  });

  test('that changes the same property twice has the later value', async () => {
    const { ask } = await openScene();
    for (const waterSetpointCelsius of [45, 60]) await ask('updateDhwCircuit', { body: { waterSetpointCelsius } });
    expect((await ask('getDhwCircuit')).body).toMatchObject({ waterSetpointCelsius: 60, version: 3 });
  });

  test.each([
    ['updateHeatingCircuit', 'heating'],
    ['updateDhwCircuit', 'dhw'],
  ] as const)(
    '%s: a time program that the circuit lacks is refused with a pointer, and nothing changes',
    async (operationId, family) => {
      const { gatewayId, ask } = await openScene();
      // Another circuit has a program with this id, which must not count.
      const elsewhere = timeProgramItemKey(gatewayId, family, 'c2', '7');
      await putShadow(world.store, elsewhere, { timeProgramId: '7' }, { ...reportedNow, reported: reportedProgram });
      const refused = await ask(operationId, { body: { operationMode: 'off', activeTimeProgramId: '7' } });
      expect(refused.body).toMatchObject({
        code: 'invalid-request',
        errors: [{ pointer: '/body/activeTimeProgramId', detail: expect.any(String) }],
      });
      const read = await ask(family === 'heating' ? 'getHeatingCircuit' : 'getDhwCircuit');
      expect(read.body).toMatchObject({ operationMode: 'auto', state: 'confirmed', version: 1 });
    },
  );

  const askNext = shareScene();

  test.each<[OperationId, Record<string, unknown>, string]>([
    ['updateHeatingCircuit', {}, '/body'],
    ['updateHeatingCircuit', { operationMode: 'eco' }, '/body/operationMode'],
    ['updateHeatingCircuit', { roomSetpointCelsius: 4.5 }, '/body/roomSetpointCelsius'],
    ['updateHeatingCircuit', { roomSetpointCelsius: 30.5 }, '/body/roomSetpointCelsius'],
    ['updateHeatingCircuit', { roomSetpointCelsius: 20.25 }, '/body/roomSetpointCelsius'],
    ['updateHeatingCircuit', { activeTimeProgramId: '1/2' }, '/body/activeTimeProgramId'],
    ['updateHeatingCircuit', { operationMode: 'off', waterSetpointCelsius: 50 }, '/body'],
    ['updateDhwCircuit', { waterSetpointCelsius: 39 }, '/body/waterSetpointCelsius'],
    ['updateDhwCircuit', { waterSetpointCelsius: 61 }, '/body/waterSetpointCelsius'],
    ['updateDhwCircuit', { waterSetpointCelsius: 50.5 }, '/body/waterSetpointCelsius'],
    ['updateDhwCircuit', { operationMode: 'off', roomSetpointCelsius: 20 }, '/body'],
  ])('%s refuses %j and names %s', async (operationId, body, pointer) => {
    const refused = await askNext(operationId, { body });
    expect(refused.body.errors).toEqual([{ pointer, detail: expect.any(String) }]);
  });

  test.each<[OperationId, Record<string, unknown>]>([
    ['updateHeatingCircuit', { roomSetpointCelsius: 5 }],
    ['updateHeatingCircuit', { roomSetpointCelsius: 30 }],
    ['updateHeatingCircuit', { roomSetpointCelsius: 20.5 }],
    ['updateDhwCircuit', { waterSetpointCelsius: 40 }],
    ['updateDhwCircuit', { waterSetpointCelsius: 60 }],
  ])('%s accepts %j', async (operationId, body) => {
    expect((await askNext(operationId, { body })).body).toMatchObject(body);
  });
});

test.each([
  ['open', 3276.7],
  ['short', -3276.8],
])('the value of a sensor that is %s is null in every answer', async (_, celsius) => {
  const { gatewayId, ask } = await openScene();
  const reported = { ...reportedCircuits.heating, roomTemperatureCelsius: celsius, supplyTemperatureCelsius: celsius };
  await report(world.store, circuitItemKey(gatewayId, 'heating', 'c1'), { reported }, factTimesAt(startMs));
  const shown = { roomTemperatureCelsius: null, supplyTemperatureCelsius: null, roomSetpointCelsius: 21 };
  expect((await ask('getHeatingCircuit')).body).toMatchObject(shown);
  expect((await ask('updateHeatingCircuit')).body).toMatchObject(shown);
  expect((await ask('listHeatingCircuits')).body.items[0]).toMatchObject(shown);
});

test('rule 14: changes are audited by company, owner and gateway, newest first; reads and refusals are not', async () => {
  const { companyId, contract, key, gatewayId, ask } = await openScene();
  const changes = ['updateHeatingCircuit', 'updateDhwCircuit', 'updateHeatingTimeProgram'] as const;
  for (const [minute, operationId] of changes.entries())
    await ask(operationId, { nowMs: atMinute(minute), requestId: `request-${minute}` });
  await ask('getHeatingCircuit', { nowMs: atMinute(3) });
  await ask('updateHeatingCircuit', { nowMs: atMinute(4), headers: { 'If-Match': ['"1"'] } });

  const targets = [
    { circuitId: 'c1', family: 'heating', before: { operationMode: 'auto' }, after: { operationMode: 'off' } },
    { circuitId: 'c1', family: 'dhw', before: { operationMode: 'auto' }, after: { operationMode: 'off' } },
    { circuitId: 'c1', timeProgramId: '1', family: 'heating', before: reportedProgram, after: goodProgram },
  ];
  const expected = changes.map((operation, minute) => ({
    subject: companyId,
    userId: contract.userId,
    gatewayId,
    at: toTimestamp(atMinute(minute)),
    operation,
    requestId: `request-${minute}`,
    actorKeyId: key.keyId,
    ...targets[minute],
    sk: expect.any(String),
  }));
  for (const scope of [
    { by: 'user', id: contract.userId },
    { by: 'gateway', id: gatewayId },
  ] as const)
    expect((await readAuditLog(world.store, scope, 100)).rows).toEqual(expected.toReversed());
  // The company's audit log also has its issued keys and its webhook.
  const { rows } = await readAuditLog(world.store, { by: 'company', id: companyId }, 100);
  expect(rows.filter(({ operation }) => !['issue', 'register'].includes(operation))).toEqual(expected.toReversed());
});

const reportedNow = { reported: reportedCircuits.heating, reportedAtMs: startMs, receivedAtMs: startMs, version: 1 };

/** Returns a company with a gateway, and its calls. */
const openScene = async () => {
  const company = await equipCompany(world.store);
  return { ...company, ask: callsOf(company) };
};

/** Returns the calls of one scene for several tests, each a minute later than the one before. */
const shareScene = () => {
  let scene: Awaited<ReturnType<typeof openScene>>;
  let minute = 0;
  beforeAll(async () => {
    scene = await openScene();
  });
  return (operationId: OperationId, options: CallOptions = {}, ids: Record<string, string> = {}) =>
    scene.ask(operationId, { nowMs: atMinute(minute++), ...options }, ids);
};

let pageMinute = 0;

/** Returns all items of a list, page by page, with the largest possible pages. */
const readPages = async (
  ask: Awaited<ReturnType<typeof openScene>>['ask'],
  operationId: OperationId,
  limit: number,
): Promise<Record<string, unknown>[]> => {
  const items = [];
  let cursor: string | null = null;
  do {
    const query = { limit: [String(limit)], ...(cursor && { cursor: [cursor] }) };
    const { body } = await ask(operationId, { nowMs: atMinute(pageMinute++), query });
    expect(body.items.length).toBeLessThanOrEqual(limit);
    if (body.nextCursor) expect(body.items.length).toBe(limit);
    items.push(...body.items);
    cursor = body.nextCursor;
  } while (cursor);
  return items;
};

const bucketIdsOf = async (companyId: string): Promise<string[]> => {
  const { Items = [] } = await world.store.send(new ScanCommand({ TableName: world.store.tableName('TokenBuckets') }));
  return Items.map(({ bucketId }) => String(bucketId)).filter((bucketId) => bucketId.startsWith(`${companyId}|`));
};
