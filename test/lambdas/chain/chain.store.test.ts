import { randomUUID } from 'node:crypto';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Endpoint } from '../../../lambdas/api/endpoints/endpoint.ts';
import { endpoints, type OperationId, operationIds } from '../../../lambdas/api/endpoints/endpoints.ts';
import { ratePolicies } from '../../../lambdas/api/limits.ts';
import { type TableName, tables } from '../../../lambdas/api/tables.ts';
import { deleteApiKey } from '../../../lambdas/data/api-keys/api-key-deletion.ts';
import { findApiKey, listApiKeys } from '../../../lambdas/data/api-keys/api-keys.ts';
import { companyKey, putCompany } from '../../../lambdas/data/contracts/companies.ts';
import { putContract } from '../../../lambdas/data/contracts/contracts.ts';
import { generateKey } from '../../../lambdas/domain/api-key.ts';
import { addMonths, toDate, toTimestamp } from '../../../lambdas/domain/time.ts';
import { createProcessMemory } from '../../../lambdas/runtime/process-memory.ts';
import { type CallOptions, call, equipCompany, forgedKey, goodCall } from '../../support/call.ts';
import { campaign, sampleOf } from '../../support/campaign.ts';
import { type Exchange, isItemWrite } from '../../support/fault-proxy.ts';
import { readAudit } from '../../support/store.ts';
import { injectFault, onboard, openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const tableNames = Object.keys(tables) as TableName[];

/** Ids for the path of any operation. */
const pathParameters = { keyId: 'unknown' };

describe('the order of checks: an earlier cause is answered before any later one', () => {
  // Each call has the named fault and all later ones.
  const unknownKey = generateKey('nobody', startMs).apiKey;
  const causes: [string, OperationId, (company: Awaited<ReturnType<typeof faultyCompany>>) => CallOptions][] = [
    ['api-key-missing', 'deleteApiKey', () => ({ pathParameters: { keyId: '%' } })],
    ['api-key-invalid', 'deleteApiKey', () => ({ apiKey: `${unknownKey}0`, pathParameters: { keyId: '%' } })],
    ['invalid-request', 'deleteApiKey', () => ({ apiKey: unknownKey, pathParameters: { keyId: '%' } })],
    ['api-key-invalid', 'deleteApiKey', () => ({ apiKey: unknownKey, pathParameters })],
    ['api-key-expired', 'listApiKeys', ({ key }) => ({ apiKey: key.apiKey, nowMs: key.expiresAtMs })],
    ['company-suspended', 'listApiKeys', ({ key }) => ({ apiKey: key.apiKey })],
  ];
  const faultyCompany = () => onboard(world.store, { state: 'suspended', allowedCidrs: ['192.0.2.1/32'] });

  test.each(causes)('%s (%s)', async (code, operationId, options) => {
    const company = await faultyCompany();
    const query = { limit: ['wrong'] };
    expect((await call(operationId, { query, ...options(company) })).body.code).toBe(code);
  });

  test('source-address-not-allowed comes before the rate limit, the rate limit before the query', async () => {
    const { key } = await onboard(world.store);
    const codes = [];
    for (let request = 0; request <= ratePolicies.general.burst; request++)
      codes.push((await call('listApiKeys', { apiKey: key.apiKey, query: { limit: ['wrong'] } })).body.code);
    expect(codes).toEqual([...Array(ratePolicies.general.burst).fill('invalid-request'), 'rate-limit-exceeded']);
    const elsewhere = await call('listApiKeys', { apiKey: key.apiKey, sourceIp: '192.0.2.2' });
    expect(elsewhere.body.code).toBe('source-address-not-allowed');
  });
});

describe('authentication', () => {
  const spellings: [string, (apiKey: string) => CallOptions, string][] = [
    ['in a query parameter', (apiKey) => ({ query: { 'x-api-key': [apiKey] } }), 'api-key-missing'],
    ['in a cookie', (apiKey) => ({ headers: { Cookie: [`x-api-key=${apiKey}`] } }), 'api-key-missing'],
    ['as a bearer token', (apiKey) => ({ headers: { Authorization: [`Bearer ${apiKey}`] } }), 'api-key-missing'],
    ['empty', () => ({ headers: { 'x-api-key': [''] } }), 'api-key-missing'],
    ['twice', (apiKey) => ({ headers: { 'x-api-key': [apiKey, apiKey] } }), 'api-key-invalid'],
    ['in two cases', (apiKey) => ({ headers: { 'x-api-key': [apiKey], 'X-API-Key': [apiKey] } }), 'api-key-invalid'],
    ['empty and whole', (apiKey) => ({ headers: { 'X-Api-Key': ['', apiKey] } }), 'api-key-invalid'],
    ['in lower case', (apiKey) => ({ apiKey: apiKey.toLowerCase() }), 'api-key-invalid'],
  ];
  test.each(spellings)('rule 10: a key %s is refused', async (_, options, code) => {
    const { key } = await onboard(world.store);
    expect((await call('getContract', options(key.apiKey))).body.code).toBe(code);
  });

  test('the header may be spelled in any case', async () => {
    const { key } = await onboard(world.store);
    expect((await call('getContract', { headers: { 'X-API-KEY': [key.apiKey] } })).status).toBe(200);
  });

  test('a malformed key costs no store call', async () => {
    world.proxy.begin();
    await call('getContract', { apiKey: 'xHCSAPI_acme_garbage' });
    expect(world.proxy.exchanges).toEqual([]);
  });

  test('a key with the id of one key and the secret of another is refused', async () => {
    const { companyId, key } = await onboard(world.store);
    const forged = forgedKey(companyId, key.keyId);
    expect((await call('getContract', { apiKey: forged })).body.code).toBe('api-key-invalid');
    const expiredForged = await call('getContract', { apiKey: forged, nowMs: key.expiresAtMs });
    expect(expiredForged.body.code).toBe('api-key-invalid');
  });
});

/** The DynamoDB capacity that the chain may use before a handler starts. */
const chainCapacity = { readUnits: 3.5, writeUnits: 1 };

describe('within the budget of the chain', () => {
  test.each(sampleOf(operationIds, 3))(
    '%s: reads the key, then the checks, then takes a token; each later call has one read and one write',
    campaign,
    async (operationId) => {
      const company = await equipCompany(world.store);
      const good = {
        ...goodCall(operationId, company),
        environment: { ...world.environment, memory: createProcessMemory() },
      };
      world.proxy.begin();
      await call(operationId, good);
      const [key, checks, ...others] = world.proxy.exchanges;
      expect([key?.action, checks?.action]).toEqual(['GetItem', 'BatchGetItem']);
      expect(key?.input.ConsistentRead).toBe(true);
      expect(readInconsistently(checks)).toEqual(['TokenBuckets']);
      expect(unitsOf(key) + unitsOf(checks)).toBeLessThanOrEqual(chainCapacity.readUnits);
      const tokens = others.filter(({ input }) => input.TableName === world.store.tableName('TokenBuckets'));
      expect(tokens.map(unitsOf)).toEqual([chainCapacity.writeUnits]);

      // A process takes no token of a time program ahead, so it reads the bucket, and preloads after the lookup.
      const isAhead = ratePolicies[endpoints[operationId].ratePolicy].burst > 1;
      // In addition to the handler's calls, a call may look for the company's only contract, or for its counts and keys.
      const { tableActions = {} }: Endpoint = endpoints[operationId];
      const ownCalls = 'Contracts/index/byCompany' in tableActions ? 4 : 'Usage' in tableActions ? 3 : 2;
      for (const minutes of [1, 2]) {
        world.proxy.begin();
        await call(operationId, { ...good, nowMs: startMs + minutes * 60_000 });
        const { exchanges } = world.proxy;
        const writes = exchanges.filter(({ action }) => action === 'PutItem');
        const [read, write] = isAhead ? exchanges.slice(0, 2).toSorted(byAction) : [exchanges[0], ...writes];
        expect([read?.action, write?.action]).toEqual(['BatchGetItem', 'PutItem']);
        expect(exchanges.length).toBeLessThanOrEqual(2 + ownCalls);
        expect(readInconsistently(read)).toEqual(isAhead ? [] : ['TokenBuckets']);
        expect(unitsOf(read)).toBeLessThanOrEqual(chainCapacity.readUnits);
        expect(unitsOf(write)).toBe(chainCapacity.writeUnits);
      }
    },
  );
});

test('preloaded items of an appliance are read with strong consistency', async () => {
  const company = await equipCompany(world.store);
  const environment = { ...world.environment, memory: createProcessMemory() };
  world.proxy.begin();
  await call('getHeatingCircuit', { ...goodCall('getHeatingCircuit', company), environment });
  const batches = world.proxy.exchanges.filter(({ action }) => action === 'BatchGetItem');
  expect(batches.map(readInconsistently)).toEqual([['TokenBuckets'], []]);
});

const byAction = (left: Exchange, right: Exchange) => left.action.localeCompare(right.action);

/** Returns the tables that a batch reads with eventual consistency. */
const readInconsistently = (batch: Exchange | undefined) =>
  Object.entries<{ ConsistentRead?: boolean }>(batch?.input.RequestItems)
    .filter(([, { ConsistentRead }]) => !ConsistentRead)
    .map(([table]) => tableNames.find((name) => world.store.tableName(name) === table));

/** Returns the capacity that a call used, without the endpoint's own preloads of the appliance. */
const unitsOf = (exchange: Exchange | undefined): number =>
  [exchange?.output?.ConsumedCapacity]
    .flat()
    .filter(({ TableName }: Consumed) => TableName !== world.store.tableName('Appliances'))
    .reduce((sum: number, { CapacityUnits }: Consumed) => sum + CapacityUnits, 0);

type Consumed = { readonly TableName: string; readonly CapacityUnits: number };

describe('a process that admitted a request before', () => {
  const remember = async (overrides: Parameters<typeof equipCompany>[1] = {}) => {
    const company = await equipCompany(world.store, overrides);
    const ask = (nowMs: number, operationId: OperationId = 'getGateway') =>
      call(operationId, { ...goodCall(operationId, company), nowMs });
    expect((await ask(startMs)).status).toBe(200);
    world.proxy.begin();
    return { ...company, ask };
  };
  const writes = () => world.proxy.exchanges.filter(isItemWrite).length;

  test('reads and writes at the same time', async () => {
    const { apiKey } = (await remember()).key;
    await call('getContract', { apiKey });
    injectFault(world, () => 'hang');
    const environment = { ...world.environment, storeDeadlineMs: 500 };
    const hanging = call('getContract', { apiKey, environment });
    await world.proxy.untilHung(2);
    expect((await hanging).status).toBe(503);
  });

  test('refuses a deleted key at the next request, and consumes one token for it, once', async () => {
    const { companyId, key, keys, ask } = await remember();
    const auditContext = {
      companyId,
      nowMs: startMs,
      requestId: 'r',
      operation: 'test',
      actorKey: keys[1] ?? null,
    };
    await deleteApiKey(world.store, auditContext, key.keyId);
    world.proxy.begin();
    const answers = [await ask(startMs + 10_000), await ask(startMs + 20_000), await ask(startMs + 30_000)];
    expect(answers.map(({ body }) => body.code)).toEqual(Array(3).fill('api-key-invalid'));
    expect(writes()).toBe(1);
  });

  test('loses at most one token of a bucket, however many of the keys that it knows are deleted', async () => {
    const { companyId, key, keys, gatewayId, contract } = await remember({ keys: 4 });
    const [, ...others] = keys;
    const asks = (apiKey: string, nowMs: number) =>
      call('getGateway', {
        apiKey,
        headers: { 'x-user-id': [contract.userId] },
        pathParameters: { gatewayId },
        nowMs,
      });
    const last = others.pop();
    for (const [index, { apiKey }] of others.entries()) await asks(apiKey, startMs + (index + 1) * 10_000);
    const auditContext = { companyId, nowMs: startMs, requestId: 'r', operation: 'test', actorKey: last ?? null };
    for (const { keyId } of [key, ...others]) await deleteApiKey(world.store, auditContext, keyId);
    world.proxy.begin();
    for (const { apiKey } of [key, ...others])
      expect((await asks(apiKey, startMs + 60_000)).body.code).toBe('api-key-invalid');
    expect(writes()).toBe(1);
    expect((await asks(String(last?.apiKey), startMs + 60_000)).headers.ratelimit).toBe('"gateway";r=1;t=2');
  });

  test('loses no token of a time program: the next update with a valid key is admitted', async () => {
    const company = await equipCompany(world.store);
    const { companyId, key, keys } = company;
    const put = (apiKey = '', nowMs = startMs) =>
      call('updateHeatingTimeProgram', { ...goodCall('updateHeatingTimeProgram', company), apiKey, nowMs });
    expect((await put(key.apiKey, startMs)).status).toBe(202);
    const actorKey = keys[1] ?? null;
    await deleteApiKey(
      world.store,
      { companyId, nowMs: startMs, requestId: 'r', operation: 'test', actorKey },
      key.keyId,
    );
    expect((await put(key.apiKey, startMs + 10_000)).body.code).toBe('api-key-invalid');
    expect((await put(actorKey?.apiKey, startMs + 10_000)).status).toBe(202);
  });

  test('refuses a suspended company at the next request, and shows the token that it cost in the header', async () => {
    const { company, ask } = await remember();
    await putCompany(world.store, { ...company, state: 'suspended' });
    world.proxy.begin();
    const answers = [await ask(startMs + 10_000), await ask(startMs + 20_000)];
    expect(answers.map(({ body }) => body.code)).toEqual(Array(2).fill('company-suspended'));
    expect(answers[0]?.headers.ratelimit).toBe('"gateway";r=2;t=2');
    expect(writes()).toBe(1);
  });

  test('refuses a withdrawn gateway at the next request, with the bucket of unknown gateways', async () => {
    const { contract, ask } = await remember();
    await putContract(world.store, { ...contract, gateways: {} });
    const { body, headers } = await ask(startMs + 10_000);
    expect(body.code).toBe('gateway-not-in-contract');
    expect(headers.ratelimit).toBe('"general";r=4;t=1');
  });

  test('answers 429 without a write, from the store’s state or its own memory', async () => {
    const { ask } = await remember();
    for (let request = 1; request < ratePolicies.gateway.burst; request++) await ask(startMs);
    world.proxy.begin();
    expect((await ask(startMs)).status).toBe(429);
    expect((await ask(startMs + 1)).status).toBe(429);
    expect(writes()).toBe(0);
  });

  test('includes the tokens that other processes consumed since it last remembered the bucket', async () => {
    const { ask, ...company } = await remember();
    const environment = { ...world.environment, memory: createProcessMemory() };
    for (let request = 1; request < ratePolicies.gateway.burst; request++)
      await call('getGateway', { ...goodCall('getGateway', company), environment });
    expect((await ask(startMs)).status).toBe(429);
  });
});

describe('rate limit', () => {
  const { burst, refillIntervalMs } = ratePolicies.general;

  const exhaust = async (apiKey: string) => {
    for (let request = 0; request < burst; request++) expect((await call('getContract', { apiKey })).status).toBe(200);
  };

  test('rule 22: each 429 until there is a token names its counter and the wait, writes nothing and costs nothing', async () => {
    const { companyId, key } = await onboard(world.store);
    await exhaust(key.apiKey);
    world.proxy.begin();
    for (let refusal = 0; refusal < 3; refusal++) {
      const { status, headers, body } = await call('getContract', { apiKey: key.apiKey, nowMs: startMs + 1 });
      expect(status).toBe(429);
      expect(body).toMatchObject({
        policy: 'general',
        counter: { companyId, endpoint: 'getContract', path: '/contract' },
        limit: { burst, refillIntervalMs },
        retryAfterMs: refillIntervalMs - 1,
      });
      expect(headers).toMatchObject({ 'retry-after': '1', ratelimit: '"general";r=0;t=1' });
    }
    expect(world.proxy.exchanges.map(({ action }) => action)).toEqual(Array(3).fill('BatchGetItem'));
    expect((await call('getContract', { apiKey: key.apiKey, nowMs: startMs + refillIntervalMs })).status).toBe(200);
  });

  test('rule 19: keys of one company share a counter; companies, methods and paths do not', async () => {
    const [own, other] = [await onboard(world.store, { keys: 2 }), await onboard(world.store)];
    await exhaust(own.key.apiKey);
    expect((await call('getContract', { apiKey: own.keys[1]?.apiKey ?? '' })).status).toBe(429);
    expect((await call('getContract', { apiKey: other.key.apiKey })).status).toBe(200);
    for (let request = 0; request < burst; request++)
      expect((await call('listApiKeys', { apiKey: own.key.apiKey })).status).toBe(200);
    expect((await call('createApiKey', { apiKey: own.key.apiKey })).status).toBe(201);
    const deletions = ['a', 'a', 'a', 'a', 'a', 'a', 'b'].map((keyId) => ({
      apiKey: own.key.apiKey,
      pathParameters: { keyId },
    }));
    const statuses = [];
    for (const options of deletions) statuses.push((await call('deleteApiKey', options)).status);
    expect(statuses).toEqual([404, 404, 404, 404, 404, 429, 404]);
  });

  test('the query is not part of the counter', async () => {
    const { key } = await onboard(world.store);
    const statuses = [];
    for (let request = 1; request <= burst + 1; request++)
      statuses.push((await call('listApiKeys', { apiKey: key.apiKey, query: { limit: [`${request}`] } })).status);
    expect(statuses).toEqual([...Array(burst).fill(200), 429]);
  });

  test.each([['%75nknown'], ['unknown;x=1'], ['unknown/'], ['../unknown'], ['ünknown'], ['']])(
    'an id that arrives as %j is refused before it costs a store call',
    async (keyId) => {
      const { key } = await onboard(world.store);
      world.proxy.begin();
      const { body } = await call('deleteApiKey', { apiKey: key.apiKey, pathParameters: { keyId } });
      expect(body).toMatchObject({ code: 'invalid-request', errors: [{ pointer: '/path/keyId' }] });
      expect(world.proxy.exchanges).toEqual([]);
    },
  );
});

describe('headers of an authenticated answer', () => {
  test('show the state of the key and the counter, whatever the answer', async () => {
    const { key, company } = await onboard(world.store);
    const good = await call('getContract', { apiKey: key.apiKey });
    expect(good.headers).toMatchObject({
      'x-api-key-expires-at': toTimestamp(key.expiresAtMs),
      'ratelimit-policy': '"general";q=5;w=3',
      ratelimit: '"general";r=4;t=1',
    });
    await putCompany(world.store, { ...company, state: 'suspended' });
    const suspended = await call('getContract', { apiKey: key.apiKey });
    expect(suspended.body.code).toBe('company-suspended');
    expect(suspended.headers).toMatchObject({
      'x-api-key-expires-at': toTimestamp(key.expiresAtMs),
      ratelimit: '"general";r=3;t=1',
    });
  });

  test('are absent from an unauthenticated answer', async () => {
    const { headers } = await call('getContract', { apiKey: generateKey('nobody', startMs).apiKey });
    expect(Object.keys(headers)).not.toContain('x-api-key-expires-at');
    expect(Object.keys(headers)).not.toContain('ratelimit');
  });
});

describe('the record of a key’s use', () => {
  const noteUses = () => world.proxy.exchanges.filter(({ input }) => input.UpdateExpression?.includes('lastUsedOn'));

  test('is one extra write per key and day', async () => {
    const { companyId, key } = await onboard(world.store);
    world.proxy.begin();
    for (const nowMs of [startMs, startMs + 1000, startMs + 2000])
      await call('getContract', { apiKey: key.apiKey, nowMs });
    expect(noteUses().length).toBe(1);
    const nextDayMs = startMs + 86_400_000;
    await call('getContract', { apiKey: key.apiKey, nowMs: nextDayMs });
    expect(noteUses().length).toBe(2);
    expect((await findApiKey(world.store, companyId, key.keyId))?.lastUsedOn).toBe(toDate(nextDayMs));
  });

  const failNotes = () =>
    injectFault(world, ({ input }) => (input.UpdateExpression?.includes('lastUsedOn') ? 'throttle' : undefined));

  test('does not fail the request if it fails', async () => {
    const { key } = await onboard(world.store);
    await call('getContract', { apiKey: key.apiKey });
    failNotes();
    expect((await call('getContract', { apiKey: key.apiKey, nowMs: startMs + 86_400_000 })).status).toBe(200);
  });

  test('precedes the first request of a key: if it fails, the answer is 503 and nothing has changed', async () => {
    const { companyId, key } = await onboard(world.store);
    failNotes();
    expect((await call('createApiKey', { apiKey: key.apiKey })).status).toBe(503);
    expect((await listApiKeys(world.store, companyId, 10)).keys).toMatchObject([{ lastUsedOn: null }]);
    world.proxy.begin();
    expect((await call('createApiKey', { apiKey: key.apiKey })).status).toBe(201);
    expect((await listApiKeys(world.store, companyId, 10)).keys.length).toBe(2);
  });
});

test('a company that was not onboarded gets contract-not-found', async () => {
  const { key, companyId } = await onboard(world.store);
  await world.store.send(
    new DeleteCommand({ TableName: world.store.tableName('Companies'), Key: companyKey(companyId) }),
  );
  expect((await call('listApiKeys', { apiKey: key.apiKey })).body.code).toBe('contract-not-found');
});

test('only the holder of an expired key learns that it has expired', async () => {
  const { key } = await onboard(world.store, { nowMs: addMonths(startMs, -6) });
  expect((await call('getContract', { apiKey: key.apiKey })).body.code).toBe('api-key-expired');
});

test('the request id of the gateway is that of the answer', async () => {
  const requestId = randomUUID();
  const { headers, body } = await call('getContract', { requestId });
  expect(headers['x-request-id']).toBe(requestId);
  expect(body.requestId).toBe(requestId);
});

test('a request id chosen by the client is in neither the answer, the log event nor the audit log', async () => {
  const { companyId, key } = await onboard(world.store);
  world.lines.length = 0;
  const { headers } = await call('createApiKey', { apiKey: key.apiKey, chosenRequestId: 'chosen' });
  const rows = await readAudit(world.store, companyId);
  expect(rows.some(({ requestId }) => requestId === headers['x-request-id'])).toBe(true);
  expect(JSON.stringify([headers, world.lines, rows])).not.toContain('chosen');
});
