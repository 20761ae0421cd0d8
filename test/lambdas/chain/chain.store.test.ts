import { randomUUID } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import { chainCapacity } from '../../../lambdas/api/budgets.ts';
import { type OperationId, operationIds } from '../../../lambdas/api/endpoints/endpoints.ts';
import { ratePolicies } from '../../../lambdas/api/rate-policies.ts';
import { findApiKey } from '../../../lambdas/data/api-keys/api-keys.ts';
import { contractKey, putContract } from '../../../lambdas/data/contracts/contracts.ts';
import { generateKey } from '../../../lambdas/domain/api-keys/api-key.ts';
import { toBase62 } from '../../../lambdas/domain/base62.ts';
import { addMonths, toDate, toTimestamp } from '../../../lambdas/domain/time.ts';
import { readAudit } from '../../support/audit.ts';
import { type CallOptions, call } from '../../support/call.ts';
import { equipCompany, goodCall } from '../../support/good-call.ts';
import { injectFault, onboard, openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

/** Ids for whatever path an operation has. */
const pathParameters = { keyId: 'unknown' };

describe('the order of checks: no cause hides behind a later one', () => {
  // Each call has the named fault and every fault after it.
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
  test.each(spellings)('a key %s is refused', async (_, options, code) => {
    const { key } = await onboard(world.store);
    expect((await call('getContract', options(key.apiKey))).body.code).toBe(code);
  });

  test('the header may be spelled in any case', async () => {
    const { key } = await onboard(world.store);
    expect((await call('getContract', { headers: { 'X-API-KEY': [key.apiKey] } })).status).toBe(200);
  });

  test('garbage costs no store call', async () => {
    world.proxy.begin();
    await call('getContract', { apiKey: 'xHCSAPI_acme_garbage' });
    expect(world.proxy.exchanges).toEqual([]);
  });

  test('a key with the id of another but its own secret is not that other', async () => {
    const { companyId, key } = await onboard(world.store);
    const forged = forge(companyId, key.keyId);
    expect((await call('getContract', { apiKey: forged })).body.code).toBe('api-key-invalid');
    const expiredForged = await call('getContract', { apiKey: forged, nowMs: key.expiresAtMs });
    expect(expiredForged.body.code).toBe('api-key-invalid');
  });

  /** A key of right shape and checksum that names somebody's record. */
  const forge = (companyId: string, keyId: string): string => {
    const { apiKey, keyId: ownKeyId } = generateKey(companyId, startMs);
    const unchecked = apiKey.replace(ownKeyId, keyId).slice(0, -6);
    return unchecked + toBase62(crc32(unchecked), 6);
  };
});

test.each(operationIds)(
  '%s: one batch read and one write before its handler starts, within the budget of the chain',
  async (operationId) => {
    const company = await equipCompany(world.store);
    await call('getContract', { apiKey: company.key.apiKey });
    world.proxy.begin();
    await call(operationId, goodCall(operationId, company));
    const [read, write, ...ownWork] = world.proxy.exchanges;
    expect([read?.action, write?.action]).toEqual(['BatchGetItem', 'UpdateItem']);
    expect(ownWork.length).toBeLessThanOrEqual(2);

    const requested = Object.entries<{ ConsistentRead?: boolean }>(read?.input.RequestItems);
    const inconsistent = requested.filter(([, { ConsistentRead }]) => !ConsistentRead).map(([table]) => table);
    expect(inconsistent).toEqual([world.store.tableName('TokenBuckets')]);
    // What the endpoint wants brought along of the appliance is its own work, in the same round trip.
    const chainUnits = read?.output?.ConsumedCapacity.filter(
      ({ TableName }: { TableName: string }) => TableName !== world.store.tableName('Appliances'),
    ).map(({ CapacityUnits }: { CapacityUnits: number }) => CapacityUnits);
    expect(chainUnits.reduce((sum: number, units: number) => sum + units)).toBeLessThanOrEqual(chainCapacity.readUnits);
    expect(write?.output?.ConsumedCapacity.CapacityUnits).toBeLessThanOrEqual(chainCapacity.writeUnits);
  },
);

describe('rate limit', () => {
  const { burst, refillIntervalMs } = ratePolicies.general;

  const exhaust = async (apiKey: string) => {
    for (let request = 0; request < burst; request++) expect((await call('getContract', { apiKey })).status).toBe(200);
  };

  test('a 429 names its counter and the wait, writes nothing and costs nothing', async () => {
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

  test('keys of one company share a counter; companies, methods and paths do not', async () => {
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

  test('a query is no part of the counter', async () => {
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
  test('tell where key and counter stand, whatever the answer', async () => {
    const { key, contract } = await onboard(world.store);
    const good = await call('getContract', { apiKey: key.apiKey });
    expect(good.headers).toMatchObject({
      'x-api-key-expires-at': toTimestamp(key.expiresAtMs),
      'ratelimit-policy': '"general";q=5;w=3',
      ratelimit: '"general";r=4;t=1',
    });
    await putContract(world.store, { ...contract, state: 'suspended' });
    const suspended = await call('getContract', { apiKey: key.apiKey });
    expect(suspended.body.code).toBe('company-suspended');
    expect(suspended.headers).toMatchObject({
      'x-api-key-expires-at': toTimestamp(key.expiresAtMs),
      ratelimit: '"general";r=4;t=1',
    });
  });

  test('stay away from one who is not authenticated', async () => {
    const { headers } = await call('getContract', { apiKey: generateKey('nobody', startMs).apiKey });
    expect(Object.keys(headers)).not.toContain('x-api-key-expires-at');
    expect(Object.keys(headers)).not.toContain('ratelimit');
  });
});

describe('note of use', () => {
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

  test('that fails does not fail the request', async () => {
    const { key } = await onboard(world.store);
    injectFault(world, ({ input }) => (input.UpdateExpression?.includes('lastUsedOn') ? 'throttle' : undefined));
    expect((await call('getContract', { apiKey: key.apiKey })).status).toBe(200);
  });
});

test('a company without a contract is told so', async () => {
  const { key, companyId } = await onboard(world.store);
  await world.store.send(
    new DeleteCommand({ TableName: world.store.tableName('Contracts'), Key: contractKey(companyId) }),
  );
  expect((await call('listApiKeys', { apiKey: key.apiKey })).body.code).toBe('contract-not-found');
});

test('an expired key is told from an invalid one only by its holder', async () => {
  const { key } = await onboard(world.store, { nowMs: addMonths(startMs, -6) });
  expect((await call('getContract', { apiKey: key.apiKey })).body.code).toBe('api-key-expired');
});

test('the request id of the gateway is that of the answer', async () => {
  const requestId = randomUUID();
  const { headers, body } = await call('getContract', { requestId });
  expect(headers['x-request-id']).toBe(requestId);
  expect(body.requestId).toBe(requestId);
});

describe('a client that chooses its request id', () => {
  test('pays for each request all the same', async () => {
    const { key } = await onboard(world.store);
    const statuses = [];
    for (let request = 0; request <= ratePolicies.general.burst; request++)
      statuses.push((await call('getContract', { apiKey: key.apiKey, requestId: 'chosen' })).status);
    expect(statuses).toEqual([...Array(ratePolicies.general.burst).fill(200), 429]);
  });

  test('cannot put a second act in the place of the first on record', async () => {
    const { companyId, key } = await onboard(world.store);
    for (let request = 0; request < 2; request++)
      await call('createApiKey', { apiKey: key.apiKey, requestId: 'chosen' });
    const rows = await readAudit(world.store, companyId);
    expect(rows.filter(({ requestId }) => requestId === 'chosen').length).toBe(2);
  });
});
