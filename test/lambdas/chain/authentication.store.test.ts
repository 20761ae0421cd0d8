import { beforeAll, describe, expect, test } from 'vitest';
import { invalidKeysPerAddress } from '../../../lambdas/api/limits.ts';
import { defaultKeyOptions } from '../../../lambdas/domain/api-key.ts';
import { createProcessMemory } from '../../../lambdas/runtime/process-memory.ts';
import { installGateway } from '../../support/appliance.ts';
import { call, equipCompany, forgedKey, goodCall } from '../../support/call.ts';
import { isItemWrite } from '../../support/fault-proxy.ts';
import { inFlight } from '../../support/store.ts';
import { issueKey, onboard, openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

/** Returns the store's requests and answers since the proxy began, without a gateway's id, times and random ids. */
const traffic = (gatewayId: string) =>
  world.proxy.exchanges.map((exchange) =>
    JSON.stringify(exchange)
      .replaceAll(gatewayId, '')
      .replaceAll(/\d{10,}|"[0-9a-f-]{36}"/g, ''),
  );

describe('a key that is not valid', () => {
  test('costs one read of one item, and the store’s answer does not show whether its id exists', async () => {
    const company = await equipCompany(world.store);
    const outputs = [];
    for (const keyId of [company.key.keyId, undefined]) {
      const apiKey = forgedKey(company.companyId, keyId);
      world.proxy.begin();
      const good = goodCall('updateHeatingTimeProgram', company);
      expect((await call('updateHeatingTimeProgram', { ...good, apiKey })).body.code).toBe('api-key-invalid');
      expect(world.proxy.exchanges.map(({ action }) => action)).toEqual(['GetItem']);
      expect(world.proxy.exchanges[0]?.input.ConsistentRead).toBe(true);
      const { ConsumedCapacity, ...output } = world.proxy.exchanges[0]?.output ?? {};
      expect(ConsumedCapacity.CapacityUnits).toBeLessThanOrEqual(1);
      outputs.push(output);
    }
    expect(outputs).toEqual([{}, {}]);
  });
});

test.each(['full', 'read'] as const)(
  'a key with access %s that is limited to addresses works only from these',
  async (access) => {
    const { companyId } = await onboard(world.store, { allowedCidrs: ['127.0.0.0/24'] });
    const options = { ...defaultKeyOptions, access, allowedCidrs: ['127.0.0.8/32'] };
    const { apiKey } = await issueKey(world.store, companyId, startMs, options);
    const ask = (sourceIp: string) => call('getContract', { apiKey, sourceIp });
    expect((await ask('127.0.0.8')).status).toBe(200);
    for (const sourceIp of ['127.0.0.1', '127.0.0.9'])
      expect((await ask(sourceIp)).body.code).toBe('source-address-not-allowed');
  },
);

describe('invalid keys of one address', () => {
  const { burst, refillIntervalMs } = invalidKeysPerAddress;

  test('are looked up until the burst is used, then once per interval; a remembered key is served', async () => {
    const { companyId, key } = await onboard(world.store);
    let processTimeMs = startMs;
    const environment = {
      ...world.environment,
      memory: createProcessMemory(),
      processTimeMs: () => processTimeMs,
    };
    const forge = (sourceIp = '127.0.0.1') =>
      call('getContract', { apiKey: forgedKey(companyId), sourceIp, environment });
    expect((await call('getContract', { apiKey: key.apiKey, environment })).status).toBe(200);
    const answers = await inFlight(10, burst, () => forge());
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));

    world.proxy.begin();
    const refused = await forge();
    expect(refused.body).toMatchObject({
      code: 'rate-limit-exceeded',
      policy: 'invalid-keys',
      limit: invalidKeysPerAddress,
      retryAfterMs: refillIntervalMs,
    });
    expect(refused.headers['retry-after']).toBe('1');
    expect(Object.keys(refused.headers)).not.toContain('ratelimit');
    expect(world.proxy.exchanges).toEqual([]);
    expect((await call('getContract', { apiKey: key.apiKey, environment })).status).toBe(200);
    expect((await forge('127.0.0.2')).status).toBe(401);

    processTimeMs += refillIntervalMs;
    expect([(await forge()).status, (await forge()).status]).toEqual([401, 429]);
  });
});

describe('a gateway that the contract does not cover', () => {
  test('causes the same store calls with the same answers, whether it exists or not', async () => {
    const company = await equipCompany(world.store);
    const { gatewayId } = await installGateway(world.store);
    const ask = async (unknownId: string, nowMs: number) => {
      const good = goodCall('updateHeatingTimeProgram', company);
      const environment = { ...world.environment, memory: createProcessMemory() };
      world.proxy.begin();
      const options = { ...good, pathParameters: { ...good.pathParameters, gatewayId: unknownId }, nowMs, environment };
      const { body } = await call('updateHeatingTimeProgram', options);
      expect(body.code).toBe('gateway-not-in-contract');
      return traffic(unknownId);
    };
    await ask('gw-unknown', startMs);
    const foreign = await ask(gatewayId, startMs + 60_000);
    expect(foreign).toEqual(await ask(gatewayId.replace(/.$/, 'x'), startMs + 120_000));
  });

  test('writes nothing in any process once the company’s bucket of unknown gateways is empty', async () => {
    const company = await equipCompany(world.store);
    const ask = (environment = world.environment) => {
      const good = goodCall('getGateway', company);
      return call('getGateway', { ...good, pathParameters: { gatewayId: 'gw-unknown' }, environment });
    };
    for (const _ of Array(5)) expect((await ask()).body.code).toBe('gateway-not-in-contract');
    world.proxy.begin();
    expect((await ask()).status).toBe(429);
    expect((await ask({ ...world.environment, memory: createProcessMemory() })).status).toBe(429);
    expect(world.proxy.exchanges.filter(isItemWrite)).toEqual([]);
  });
});
