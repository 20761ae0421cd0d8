import { createHash, randomUUID } from 'node:crypto';
import { get } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ratePolicies } from '../../lambdas/api/limits.ts';
import { maxMetricSeries } from '../../lambdas/api/metrics.ts';
import { readHome } from '../../partner/client/pages.ts';
import { readRequestEvent } from '../support/call.ts';
import { proven } from '../support/campaign.ts';
import { expectContract, expectProblem } from '../support/contract.ts';
import { done, partnerOf, refused } from '../support/partner.ts';
import { companyOf, openService, type Service } from '../support/service.ts';
import { stopClock } from '../support/time.ts';

type HomeCircuit = {
  readonly circuitId: string;
  readonly timePrograms?: readonly { readonly timeProgramId: string }[];
};

const idsIn = ({ circuitId, timePrograms = [] }: HomeCircuit) => ({
  circuitId,
  timeProgramIds: timePrograms.map(({ timeProgramId }) => timeProgramId),
});

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.close());

const keyOf = (companyId: string) => companyOf(service, companyId).apiKey;

test('a partner creates, uses, lists and deletes a key; the deleted key fails at once', async () => {
  const oldKey = companyOf(service, 'initech');
  const client = partnerOf(service, 'initech');
  const created = await done(client.call('createApiKey'));
  expect(created.status).toBe(201);
  const { apiKey: newKey, keyId } = created.body;

  client.useApiKey(newKey);
  const own = await done(client.call('getOwnApiKey'));
  expect(own.body).toMatchObject({ companyId: 'initech', keyId, sourceIp: '127.0.0.1', validKeys: 2 });

  const deleted = await done(client.call('deleteApiKey', { path: { keyId: oldKey.keyId } }));
  expect(deleted.status).toBe(204);
  const { problem } = await refused(client.call('listApiKeys', { apiKey: oldKey.apiKey }));
  expect(problem.code).toBe('api-key-invalid');

  const list = await done(client.call('listApiKeys'));
  expect(list.body.items.map((key) => key.keyId).toSorted()).toEqual([keyId, oldKey.expiredKeyId].toSorted());
});

describe('addresses', () => {
  test('an unregistered address is rejected at the edge, whatever the path', async () => {
    for (const path of ['/contract', '/nowhere']) {
      const answer = await service.send({ path, apiKey: keyOf('acme'), sourceIp: '127.0.0.3' });
      expectProblem(answer, ['source-address-not-allowed']);
      expect(Object.keys(answer.headers)).not.toContain('ratelimit');
    }
  });

  test('another company’s address passes the edge, and the function rejects it', async () => {
    const answer = await service.send({ path: '/contract', apiKey: keyOf('acme'), sourceIp: '127.0.0.2' });
    expectProblem(answer, ['source-address-not-allowed']);
    expect(answer.headers['x-api-key-expires-at']).toBeDefined();
  });

  test('only the socket’s address counts, not what the client claims in headers', async () => {
    const rawHeaders = ['X-Forwarded-For', '127.0.0.1', 'X-Real-IP', '127.0.0.1', 'Forwarded', 'for=127.0.0.1'];
    const answer = await service.send({ path: '/contract', apiKey: keyOf('acme'), sourceIp: '127.0.0.3', rawHeaders });
    expectProblem(answer, ['source-address-not-allowed']);
  });
});

test('HEAD has the status and the headers of the GET, and no body', async () => {
  const path = '/api-keys/me';
  const apiKey = keyOf('acme');
  const [head, get] = [await service.send({ method: 'HEAD', path, apiKey }), await service.send({ path, apiKey })];
  expect(head).toMatchObject({ status: 200, body: undefined });
  expect(Object.keys(head.headers).toSorted()).toEqual(Object.keys(get.headers).toSorted());
  expect(await service.send({ method: 'HEAD', path })).toMatchObject({ status: 401, body: undefined });
  expect(await service.send({ method: 'HEAD', path: '/contract', apiKey })).toMatchObject({ status: 404 });
});

test('an expired key is rejected as expired', async () => {
  const answer = await service.send({ path: '/contract', apiKey: companyOf(service, 'acme').expiredApiKey });
  expectProblem(answer, ['api-key-expired']);
});

describe('what is not there', () => {
  test.each([
    ['GET', '/nowhere'],
    ['GET', '/contract/more'],
    ['GET', '/Contract'],
    ['PATCH', '/contract'],
    ['DELETE', '/api-keys/me'],
    ['GET', '/contract;x=1'],
    ['GET', '/./contract'],
    ['GET', '/api-keys/../contract'],
    ['GET', '/api-keys/%2e%2e/contract'],
    ['GET', '//contract'],
  ])('%s %s is no route', async (method, path) => {
    expectProblem(await service.send({ method, path, apiKey: keyOf('acme') }), ['route-not-found']);
  });

  test('a second version', async () => {
    expectProblem(await service.send({ path: '/../v2/contract', apiKey: keyOf('acme') }), ['route-not-found']);
  });

  test('an answer to plain HTTP', async () => {
    const { port } = new URL(service.demo.baseUrl);
    const outcome = new Promise((resolve) => {
      get({ host: '127.0.0.1', port, path: '/v1/contract' }, (response) => resolve(response.statusCode)).on(
        'error',
        (error) => resolve((error as NodeJS.ErrnoException).code),
      );
    });
    expect(await outcome).toBe('ECONNRESET');
  });
});

describe('spellings of one request', () => {
  test('share one counter', async () => {
    const apiKey = keyOf('globex');
    // No other test lists this company's keys.
    const spellings = ['/api-keys', '/api-keys/', '/%61pi-keys', '/api-keys?limit=1', '/api-keys?', '/api-keys#x'];
    stopClock();
    const statuses = await Promise.all(
      [...spellings, ...spellings].map((path) => service.send({ path, apiKey, sourceIp: '127.0.0.2' })),
    );
    const admitted = statuses.filter(({ status }) => status === 200).length;
    const others = statuses.filter(({ status }) => status !== 200).map(({ body }) => body.code);
    expect(admitted).toBe(ratePolicies.general.burst);
    expect(others.filter((code) => code !== 'rate-limit-exceeded' && code !== 'route-not-found')).toEqual([]);
    expect(others).toContain('rate-limit-exceeded');
  });

  test.each([
    ['twice', (key: string) => ['x-api-key', key, 'x-api-key', key], 'api-key-invalid'],
    ['in two cases', (key: string) => ['x-api-key', key, 'X-API-KEY', key], 'api-key-invalid'],
    ['as one list', (key: string) => ['x-api-key', `${key}, ${key}`], 'api-key-invalid'],
    ['in a cookie', (key: string) => ['cookie', `x-api-key=${key}`], 'api-key-missing'],
    ['as a bearer token', (key: string) => ['authorization', `Bearer ${key}`], 'api-key-missing'],
  ])('a key %s is refused', async (_, rawHeaders, code) => {
    const answer = await service.send({ path: '/contract', rawHeaders: rawHeaders(keyOf('acme')) });
    expectContract('getContract', answer);
    expect(answer.body.code).toBe(code);
  });

  test('a key in the query is refused', async () => {
    const answer = await service.send({ path: `/contract?x-api-key=${keyOf('acme')}` });
    expect(answer.body.code).toBe('api-key-missing');
  });

  test('a method override has the checks of the method that it names, or no effect', async () => {
    const rawHeaders = ['X-HTTP-Method-Override', 'DELETE'];
    const { apiKey, keyId } = companyOf(service, 'acme');
    const answer = await service.send({ method: 'POST', path: `/api-keys/${keyId}`, apiKey, rawHeaders });
    expectProblem(answer, ['api-key-in-use', 'route-not-found']);
  });

  test.each(['%41%', '%ff', 'a;x=1', 'a%2Fb', 'a%20b', '%00', 'a'.repeat(65)])('an id %s is refused', async (id) => {
    const answer = await service.send({ method: 'DELETE', path: `/api-keys/${id}`, apiKey: keyOf('acme') });
    expectProblem(answer, ['invalid-request', 'route-not-found']);
  });
});

test('the rate limit admits its burst, then names a time to retry, and admits the request at that time', async () => {
  const { burst, refillIntervalMs } = ratePolicies.general;
  const list = () => partnerOf(service, 'acme', { patienceSeconds: 0 }).call('listApiKeys', { query: { limit: 1 } });
  const clock = stopClock();
  const answers = await Promise.all(Array.from({ length: 12 }, list));
  const refusals = answers.flatMap((answer) => (answer.ok ? [] : [answer]));
  expect(refusals.length).toBe(12 - burst);
  for (const { problem, retryAfterSeconds } of refusals) {
    if (problem.code !== 'rate-limit-exceeded') throw new Error(`Expected the rate limit: ${problem.code}`);
    expect(problem.retryAfterMs).toBe(refillIntervalMs);
    expect(retryAfterSeconds).toBe(1);
  }
  clock.forward(refillIntervalMs - 1);
  expect((await list()).ok).toBe(false);
  clock.forward(1);
  expect((await list()).ok).toBe(true);
});

const requests = 200;
test(
  `${requests} concurrent updates of one time program: one is accepted, the others get a time to retry`,
  proven,
  async () => {
    const client = partnerOf(service, 'acme', { patienceSeconds: 0 });
    const { gatewayId = '' } = companyOf(service, 'acme').gateways[0] ?? {};
    const path = { gatewayId, circuitId: 'dhw1', timeProgramId: '2' };
    const switchPoint = { dayOfWeek: 'friday' as const, time: '06:30', setpoint: 'comfort' };
    const body = { name: 'Evenings', switchPoints: [switchPoint] };
    stopClock();
    const answers = await Promise.all(
      Array.from({ length: requests }, () => client.call('updateDhwTimeProgram', { path, body })),
    );
    const problems = answers.flatMap((answer) => (answer.ok ? [] : [answer.problem]));
    expect(problems.length).toBe(requests - 1);
    for (const problem of problems) {
      if (problem.code !== 'rate-limit-exceeded') throw new Error(`Expected the rate limit: ${problem.code}`);
      expect(problem.retryAfterMs).toBe(10_000);
    }
  },
);

describe('the demo world', () => {
  test('has a gateway that is online, one that is offline, and one that blocks time programs', proven, async () => {
    const { items } = (await done(partnerOf(service, 'acme').call('listGateways'))).body;
    expect(items.map(({ connectivity }) => connectivity)).toEqual(['online', 'offline', 'online']);
    const blocked = items.map(({ blockedFunctions }) => blockedFunctions.map((block) => block.function).toSorted());
    expect(blocked).toEqual([[], [], ['dhwTimePrograms', 'heatingTimePrograms']]);
  });

  test('has the homes of the demo file, and no others', proven, async () => {
    const acme = partnerOf(service, 'acme');
    const { items } = (await done(acme.call('listGateways'))).body;
    const homes = [];
    for (const { gatewayId } of items) {
      const { heatingCircuits = [], dhwCircuits = [] } = (await done(readHome(acme, gatewayId))).body;
      homes.push({ gatewayId, heatingCircuits: heatingCircuits.map(idsIn), dhwCircuits: dhwCircuits.map(idsIn) });
    }
    const inFile = companyOf(service, 'acme').gateways.map(({ gatewayId, heatingCircuits, dhwCircuits }) => ({
      gatewayId,
      heatingCircuits,
      dhwCircuits,
    }));
    expect(homes).toEqual(inFile);
  });
});

test('no output of the run contains a secret', async () => {
  const client = partnerOf(service, 'acme');
  const created = await done(client.call('createApiKey'));
  const idempotencyKey = randomUUID();
  const createOnce = () => done(client.call('createApiKey', { headers: { 'Idempotency-Key': `"${idempotencyKey}"` } }));
  const once = await createOnce();
  const repeat = await createOnce();
  expect(repeat.body).toEqual(once.body);
  const issued = [created, once].map(({ body }) => body.apiKey);
  issued.push(...service.demo.companies.flatMap((each) => [each.apiKey, each.expiredApiKey]));
  const output = service.output();
  expect(output.includes(idempotencyKey)).toBe(false);
  expect(output).toContain('createApiKey');
  for (const key of issued) {
    const secret = key.slice(-49);
    expect(output.includes(secret)).toBe(false);
    for (const encoding of ['hex', 'base64', 'base64url'] as const)
      expect(output.includes(createHash('sha256').update(key).digest(encoding))).toBe(false);
  }
});

test('every line of a function is one event of at most 1 kB that fits its schema, in few metric series', () => {
  const series = service.eventLines().flatMap((line) => readRequestEvent(line).series);
  expect(new Set(series)).toContain('Requests decision=limited');
  expect(new Set(series).size).toBeLessThanOrEqual(maxMetricSeries);
});

test('a request id from the client is ignored', async () => {
  const rawHeaders = ['x-amzn-RequestId', 'chosen'];
  const { apiKey, keyId } = companyOf(service, 'acme');
  const path = `/api-keys/${keyId}`;
  stopClock();
  const answers = [];
  for (let request = 0; request < 10; request++)
    answers.push(await service.send({ method: 'DELETE', path, apiKey, rawHeaders }));
  const ids = answers.map(({ headers }) => headers['x-request-id']);
  expect(new Set(ids).size).toBe(answers.length);
  expect(ids).not.toContain('chosen');
  expect(answers.map(({ headers }) => headers['x-amz-apigw-id'])).toEqual(ids);
  expect(answers.map(({ body }) => body.code)).toContain('rate-limit-exceeded');
});
