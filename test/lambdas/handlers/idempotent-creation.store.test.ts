import { beforeAll, describe, expect, test } from 'vitest';
import { maxValidKeysPerCompany } from '../../../lambdas/api/limits.ts';
import { listApiKeys } from '../../../lambdas/data/api-keys/api-keys.ts';
import { call } from '../../support/call.ts';
import { campaign, size } from '../../support/campaign.ts';
import type { Fault } from '../../support/fault-proxy.ts';
import { readAudit } from '../../support/store.ts';
import { injectFault, onboard, openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** Far enough apart that no call exceeds the rate limit. */
const create = (apiKey: string, idempotencyKey: string, nowMs = startMs, name = 'Idempotency-Key') =>
  call('createApiKey', { apiKey, nowMs, headers: { [name]: [idempotencyKey] } });

const keysOf = async (companyId: string) => (await listApiKeys(world.store, companyId, 100)).keys;

const actions = () => world.proxy.exchanges.map(({ action }) => action);

describe('a repeat', () => {
  test('rule 5: gets the same answer with the same key as the first request, until the new key is used: then it is spent', async () => {
    const { companyId, key } = await onboard(world.store);
    const first = await create(key.apiKey, 'value');
    const repeat = await create(key.apiKey, 'value', startMs + minuteMs);
    expect([first.status, repeat.status]).toEqual([201, 201]);
    expect(repeat.body).toEqual(first.body);
    expect(repeat.headers.location).toBe(first.headers.location);
    expect((await keysOf(companyId)).length).toBe(2);
    expect((await call('getOwnApiKey', { apiKey: repeat.body.apiKey })).body.keyId).toBe(first.body.keyId);
    const { status, body } = await create(key.apiKey, 'value', startMs + 2 * minuteMs);
    expect([status, body.code]).toEqual([409, 'idempotency-key-spent']);
    expect((await keysOf(companyId)).length).toBe(2);
  });

  test('requests the same options; a different request with its value is refused, and creates nothing', async () => {
    const { companyId, key } = await onboard(world.store);
    const ask = (body: object, minute: number) =>
      call('createApiKey', {
        apiKey: key.apiKey,
        nowMs: startMs + minute * minuteMs,
        body,
        headers: { 'Idempotency-Key': ['value'], 'content-type': ['application/json'] },
      });
    const first = await ask({ access: 'read', label: 'Reporting' }, 0);
    expect((await ask({ label: 'Reporting', access: 'read', allowedCidrs: null }, 1)).body).toEqual(first.body);
    for (const [minute, other] of [{}, { access: 'read' }, { access: 'full', label: 'Reporting' }].entries()) {
      const { status, body } = await ask(other, 2 + minute);
      expect([status, body.code]).toEqual([400, 'invalid-request']);
      const detail = expect.stringContaining('{"access":"read","allowedCidrs":null,"label":"Reporting"}');
      expect(body.errors).toEqual([{ pointer: '/header/Idempotency-Key', detail }]);
    }
    expect((await keysOf(companyId)).length).toBe(2);
  });

  test('that shows the key has an audit row of its own, with its request id; a refused one has no row', async () => {
    const { companyId, key } = await onboard(world.store);
    const { body } = await create(key.apiKey, 'value');
    const repeat = await create(key.apiKey, 'value', startMs + minuteMs);
    await call('getOwnApiKey', { apiKey: body.apiKey });
    await create(key.apiKey, 'value', startMs + 2 * minuteMs);
    const ofPartner = (await readAudit(world.store, companyId)).filter(({ actorKeyId }) => actorKeyId !== null);
    const common = { subject: companyId, actorKeyId: key.keyId, keyId: body.keyId };
    expect(ofPartner).toMatchObject([
      { ...common, operation: 'createApiKey' },
      { ...common, operation: 'createApiKey repeat', requestId: repeat.headers['x-request-id'] },
    ]);
  });

  test('costs a token, two strongly consistent reads and a transaction of two checks and its row', async () => {
    const { key } = await onboard(world.store);
    const first = await create(key.apiKey, 'value');
    world.proxy.begin();
    const repeat = await create(key.apiKey, 'value');
    expect([first.headers.ratelimit, repeat.headers.ratelimit]).toEqual(['"general";r=4;t=1', '"general";r=3;t=1']);
    expect(actions().slice(0, 2).toSorted()).toEqual(['BatchGetItem', 'UpdateItem']);
    expect(actions().slice(2)).toEqual(['Query', 'GetItem', 'TransactWriteItems']);
    const [slots, record, transaction] = world.proxy.exchanges.slice(2);
    expect([slots, record].map((read) => read?.input.ConsistentRead)).toEqual([true, true]);
    expect(transaction?.input.TransactItems.map((item: object) => Object.keys(item))).toEqual([
      ['ConditionCheck'],
      ['ConditionCheck'],
      ['Put'],
    ]);
  });

  test.each([
    ['quoted', '"a\\"b"', 'a"b', 'Idempotency-Key'],
    ['under a name in another case', 'value', 'value', 'IDEMPOTENCY-KEY'],
  ])('may be %s', async (_, spelling, value, name) => {
    const { key } = await onboard(world.store);
    const first = await create(key.apiKey, value);
    expect((await create(key.apiKey, spelling, startMs, name)).body).toEqual(first.body);
  });

  test('is recognized for 24 hours, and creates another key after that', async () => {
    const { companyId, key } = await onboard(world.store);
    const first = await create(key.apiKey, 'value');
    expect((await create(key.apiKey, 'value', startMs + dayMs - 1)).body).toEqual(first.body);
    const next = await create(key.apiKey, 'value', startMs + dayMs);
    expect(next.body.keyId).not.toBe(first.body.keyId);
    expect((await create(key.apiKey, 'value', startMs + 2 * dayMs - 1)).body).toEqual(next.body);
    expect((await keysOf(companyId)).length).toBe(3);
  });

  test('at ten valid keys still gets the key; another value exceeds the limit', async () => {
    const { key } = await onboard(world.store, { keys: maxValidKeysPerCompany - 1 });
    const first = await create(key.apiKey, 'value');
    expect((await create(key.apiKey, 'value')).body).toEqual(first.body);
    expect((await create(key.apiKey, 'other')).body.code).toBe('api-key-limit-reached');
  });

  test('of a key that was used only by a request refused after its token is also spent', async () => {
    const { key } = await onboard(world.store);
    const { body } = await create(key.apiKey, 'value');
    await call('getGateway', { apiKey: body.apiKey, pathParameters: { gatewayId: 'unknown' } });
    expect((await create(key.apiKey, 'value')).body.code).toBe('idempotency-key-spent');
  });

  test('after the key was deleted by anyone creates nothing; another value creates a key', async () => {
    const { companyId, key } = await onboard(world.store);
    const { body } = await create(key.apiKey, 'value');
    await call('deleteApiKey', { apiKey: key.apiKey, pathParameters: { keyId: body.keyId } });
    const refused = await create(key.apiKey, 'value', startMs + minuteMs);
    expect([refused.status, refused.body.code]).toEqual([409, 'idempotency-key-spent']);
    expect((await keysOf(companyId)).length).toBe(1);
    expect((await create(key.apiKey, 'other', startMs + minuteMs)).status).toBe(201);
  });

  test('with a deleted key is refused like any other request with it', async () => {
    const { key } = await onboard(world.store);
    const { body } = await create(key.apiKey, 'value');
    await call('deleteApiKey', { apiKey: body.apiKey, pathParameters: { keyId: key.keyId } });
    expect((await create(key.apiKey, 'value')).body.code).toBe('api-key-invalid');
  });
});

test('equal values of another company, or of another key of the company, are independent', async () => {
  const [own, other] = [await onboard(world.store, { keys: 2 }), await onboard(world.store)];
  const callers = [...own.keys, other.key];
  const answers = [];
  for (const { apiKey } of callers) answers.push(await create(apiKey, 'value'));
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
  expect(new Set(answers.map(({ body }) => body.apiKey)).size).toBe(3);
});

describe('a malformed value', () => {
  test.each([
    ['empty', { 'Idempotency-Key': [''] }],
    ['empty in quotes', { 'Idempotency-Key': ['""'] }],
    ['too long', { 'Idempotency-Key': ['x'.repeat(256)] }],
    ['beyond ASCII', { 'Idempotency-Key': ['schlüssel'] }],
    ['sent twice', { 'Idempotency-Key': ['a', 'a'] }],
    ['sent twice, once empty', { 'Idempotency-Key': ['', 'a'] }],
    ['sent in two cases', { 'Idempotency-Key': ['a'], 'idempotency-key': ['a'] }],
  ])('%s is refused, and no key is created', async (_, headers) => {
    const { companyId, key } = await onboard(world.store);
    const { body } = await call('createApiKey', { apiKey: key.apiKey, headers });
    expect(body).toMatchObject({
      code: 'invalid-request',
      errors: [
        { pointer: '/header/Idempotency-Key', detail: expect.stringMatching(/^Expected one value of 1 to 255/) },
      ],
    });
    expect((await keysOf(companyId)).length).toBe(1);
  });
});

test('without the header each request creates a key, with no further reads or writes', async () => {
  const { companyId, key } = await onboard(world.store);
  await call('getContract', { apiKey: key.apiKey });
  world.proxy.begin();
  await call('createApiKey', { apiKey: key.apiKey });
  const exchanges = [...world.proxy.exchanges];
  expect(actions()).toEqual(['BatchGetItem', 'PutItem', 'Query', 'TransactWriteItems']);
  expect(exchanges.at(-1)?.input.TransactItems.length).toBe(4);
  expect(JSON.stringify(exchanges)).not.toContain(world.store.tableName('IdempotencyRecords'));
  await call('createApiKey', { apiKey: key.apiKey });
  expect((await keysOf(companyId)).length).toBe(3);
});

/** The sample has one fault before a store call is executed, and one after it. */
const faults = size<Fault[]>({ test: ['lose-answer', 'deny'], prove: ['throttle', 'lose-answer', 'conflict', 'deny'] });

describe.each(faults)('a store whose answer is: %s', (fault) => {
  /** More store calls than a request without faults makes. */
  const ordinals = Array.from({ length: 8 }, (_, ordinal) => ordinal);

  const at = ['at', (at: number) => (ordinal: number) => ordinal === at] as const;
  const from = ['from', (from: number) => (ordinal: number) => ordinal >= from] as const;

  test.each(size({ test: [at], prove: [at, from] }))(
    '%s any of its store calls on: the repeat leaves exactly one key, and returns it',
    campaign,
    async (_, isFaultyOf) => {
      const faulty = await Promise.all(
        ordinals.map(async (ordinal) => ({ ...(await onboard(world.store)), isFaulty: isFaultyOf(ordinal) })),
      );
      const calls = new Map<string, number>();
      // All companies run concurrently, since retries wait; each has its own call count.
      injectFault(world, ({ action, input }) => {
        const { companyId, isFaulty } = faulty.find((each) => isAbout(input, each.companyId)) ?? {};
        if (!companyId || !isFaulty) throw new Error(`A store call is about none of the companies: ${action}.`);
        const ordinal = calls.get(companyId) ?? 0;
        calls.set(companyId, ordinal + 1);
        // Only transactions can conflict.
        return isFaulty(ordinal) && (fault !== 'conflict' || action === 'TransactWriteItems') ? fault : undefined;
      });
      const broken = await Promise.all(faulty.map(({ key }) => create(key.apiKey, 'value')));
      world.proxy.begin();
      for (const [index, { companyId, key }] of faulty.entries()) {
        const repeat = await create(key.apiKey, 'value', startMs + minuteMs);
        expect(repeat.status).toBe(201);
        if (broken[index]?.status === 201) expect(repeat.body).toEqual(broken[index].body);
        const made = (await keysOf(companyId)).filter(({ createdByKeyId }) => createdByKeyId === key.keyId);
        expect(made.map(({ keyId }) => keyId)).toEqual([repeat.body.keyId]);
        const audit = await readAudit(world.store, companyId);
        expect(audit.filter(({ operation }) => operation === 'createApiKey').length).toBe(1);
      }
      expect(broken.at(-1)?.status).toBe(201);
    },
  );

  /** An id may be the prefix of another id, which then continues with a digit. */
  const isAbout = (input: object, companyId: string) => new RegExp(`${companyId}(?!\\d)`).test(JSON.stringify(input));
});

describe('what is written to the log', () => {
  test('contains no key and no value, and counts issued and repeated keys separately', async () => {
    const { key } = await onboard(world.store);
    const value = 'a-value-that-nobody-shall-read';
    const before = world.lines.length;
    const first = await create(key.apiKey, value);
    await create(key.apiKey, `"${value}"`);
    await call('createApiKey', { apiKey: key.apiKey, headers: { 'Idempotency-Key': [value, value] } });
    injectFault(world, ({ action }) => (action === 'TransactWriteItems' ? 'deny' : undefined));
    await create(key.apiKey, `${value}-2`);
    const lines = world.lines.slice(before);
    const counts = lines.map((line) => JSON.parse(line));
    expect(counts.map(({ KeysIssued }) => KeysIssued)).toEqual([1, undefined, undefined, undefined]);
    expect(counts.map(({ keysShownAgain }) => keysShownAgain)).toEqual([undefined, 1, undefined, undefined]);
    expect(lines.map((line) => JSON.parse(line).status)).toEqual([201, 201, 400, 500]);
    for (const secret of [value, first.body.apiKey.slice(-49), key.apiKey.slice(-49)])
      expect(lines.join('')).not.toContain(secret);
  });
});
