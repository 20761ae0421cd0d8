import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { maxValidKeysPerCompany, ratePolicies } from '../../../lambdas/api/limits.ts';
import { findApiKey, readTakenSlots } from '../../../lambdas/data/api-keys/api-keys.ts';
import { putCompany } from '../../../lambdas/data/contracts/companies.ts';
import { defaultKeyOptions, type NewKey } from '../../../lambdas/domain/api-key.ts';
import { addMonths, toTimestamp } from '../../../lambdas/domain/time.ts';
import { call } from '../../support/call.ts';
import { operate, temporaryDirectory } from '../../support/operator.ts';
import { readAudit } from '../../support/store.ts';
import { issueKey, onboard, openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

/** Far enough apart that no call exceeds the rate limit. */
const atMinute = (minute: number) => startMs + minute * 60_000;

describe('createApiKey', () => {
  test('rule 3: shows a new key that works for six calendar months', async () => {
    const { key } = await onboard(world.store, { nowMs: addMonths(startMs, -1) });
    const { status, body } = await call('createApiKey', { apiKey: key.apiKey });
    expect(status).toBe(201);
    expect(body).toMatchObject({ createdAt: '2036-03-10T12:00:00Z', expiresAt: '2036-09-10T12:00:00Z' });
    const expiresAtMs = Date.parse(body.expiresAt);
    const use = (nowMs: number) => call('getContract', { apiKey: body.apiKey, nowMs });
    expect((await use(expiresAtMs - 1)).status).toBe(200);
    expect((await use(expiresAtMs)).body.code).toBe('api-key-expired');
  });

  test('rule 1: takes a key that begins with xHCSAPI, and returns such a key', async () => {
    const { key } = await onboard(world.store);
    const { body } = await call('createApiKey', { apiKey: key.apiKey });
    for (const apiKey of [key.apiKey, body.apiKey]) {
      expect(apiKey).toMatch(/^xHCSAPI_/);
      const { status } = await call('getContract', { apiKey: `xHCSKEY${apiKey.slice('xHCSAPI'.length)}` });
      expect(status).toBe(401);
    }
  });

  test('rule 5: shows a new key once; it works, and the key in use stays valid', async () => {
    const { companyId, key } = await onboard(world.store);
    const created = await call('createApiKey', { apiKey: key.apiKey });

    expect(created.status).toBe(201);
    expect(created.headers.location).toBe(`/v1/api-keys/${created.body.keyId}`);
    for (const apiKey of [created.body.apiKey, key.apiKey])
      expect((await call('getContract', { apiKey })).status).toBe(200);

    const record = await findApiKey(world.store, companyId, created.body.keyId);
    expect(record).toMatchObject({ createdByKeyId: key.keyId, lastUsedOn: '2036-03-10' });
  });

  test('rule 6: is refused with an expired key, until the operator issues another', async () => {
    const { companyId, key } = await onboard(world.store, { nowMs: addMonths(startMs, -6) });
    expect((await call('createApiKey', { apiKey: key.apiKey })).body.code).toBe('api-key-expired');
    const file = join(temporaryDirectory(), 'issued.key');
    const issue = ['key', 'issue', companyId, '--key-file', file, '--reason', 'none is valid'];
    expect((await operate(issue, { ...world, nowMs: startMs })).exit).toBe('ok');
    const apiKey = readFileSync(file, 'utf8').trim();
    expect((await call('createApiKey', { apiKey })).status).toBe(201);
  });

  test('rule 4: of an eleventh valid key is refused, and names the valid ones, so that one can be deleted', async () => {
    const { key, keys } = await onboard(world.store, { keys: 9 });
    const { status, body } = await call('createApiKey', { apiKey: key.apiKey });
    expect(status).toBe(201);
    const refused = await call('createApiKey', { apiKey: key.apiKey });
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({ code: 'api-key-limit-reached', maxValidKeys: 10 });
    expect(refused.body.validKeys.map(({ keyId }: { keyId: string }) => keyId).toSorted()).toEqual(
      [...keys, body].map(({ keyId }) => keyId).toSorted(),
    );
  });

  test('is in the audit log with its key id, never with the key', async () => {
    const { companyId, key } = await onboard(world.store);
    const { body } = await call('createApiKey', { apiKey: key.apiKey, requestId: 'request-1' });
    const rows = await readAudit(world.store, companyId);
    expect(rows).toContainEqual(
      expect.objectContaining({
        operation: 'createApiKey',
        requestId: 'request-1',
        actorKeyId: key.keyId,
        keyId: body.keyId,
        at: toTimestamp(startMs),
      }),
    );
    expect(JSON.stringify(rows)).not.toContain(body.apiKey);
  });
});

/** Returns a request for a key with these options. */
const asking = (body: object) => ({ headers: { 'content-type': ['application/json'] }, body });

describe('a key that is requested with options', () => {
  test('has them wherever keys are shown, and in the audit log', async () => {
    const { companyId, key } = await onboard(world.store, { allowedCidrs: ['127.0.0.0/24'] });
    const options = { access: 'read', allowedCidrs: ['127.0.0.0/30', '127.0.0.8/32'], label: 'Réporting 1' };
    const { body: created } = await call('createApiKey', { apiKey: key.apiKey, ...asking(options) });
    expect(created).toMatchObject(options);
    const { body: own } = await call('getOwnApiKey', { apiKey: created.apiKey });
    expect(own).toMatchObject({ keyId: created.keyId, ...options });
    const { body: list } = await call('listApiKeys', { apiKey: created.apiKey });
    const usual = { access: 'full', allowedCidrs: null, label: null };
    expect(list.items.find(({ keyId }: { keyId: string }) => keyId === created.keyId)).toMatchObject(options);
    expect(list.items.find(({ keyId }: { keyId: string }) => keyId === key.keyId)).toMatchObject(usual);
    expect(await readAudit(world.store, companyId)).toContainEqual(
      expect.objectContaining({ keyId: created.keyId, after: { key: options } }),
    );
  });

  test('has the default options without a body, with an empty object, and with null', async () => {
    const { key } = await onboard(world.store);
    const usual = { access: 'full', allowedCidrs: null, label: null };
    const requests = [{}, { body: '' }, asking({}), asking({ allowedCidrs: null, label: null })];
    for (const [index, request] of requests.entries()) {
      const { body } = await call('createApiKey', { apiKey: key.apiKey, nowMs: atMinute(index), ...request });
      expect(body).toMatchObject(usual);
    }
  });

  test.each([
    [{ access: 'write' }, '/body/access'],
    [{ acces: 'read' }, '/body'],
    [{ label: '' }, '/body/label'],
    [{ label: 'x'.repeat(65) }, '/body/label'],
    [{ label: 'two\nlines' }, '/body/label'],
    [{ allowedCidrs: [] }, '/body/allowedCidrs'],
    [{ allowedCidrs: '127.0.0.1/32' }, '/body/allowedCidrs'],
    [{ allowedCidrs: ['127.0.0.1'] }, '/body/allowedCidrs/0'],
    [{ allowedCidrs: ['127.0.0.1/32', '127.0.0.1/33'] }, '/body/allowedCidrs/1'],
    [{ allowedCidrs: ['1.2.3/32'] }, '/body/allowedCidrs/0'],
    [{ allowedCidrs: ['127.0.0.0/31'] }, '/body/allowedCidrs/0'],
    [{ allowedCidrs: ['192.0.2.1/32'] }, '/body/allowedCidrs/0'],
    [{ allowedCidrs: ['::ffff:127.0.0.1/128'] }, '/body/allowedCidrs/0'],
    [{ allowedCidrs: Array(11).fill('127.0.0.1/32') }, '/body/allowedCidrs'],
  ])('is refused for %j with a pointer to it, and no key is created', async (body, pointer) => {
    const { companyId, key } = await onboard(world.store);
    const refused = await call('createApiKey', { apiKey: key.apiKey, ...asking(body) });
    expect(refused.body).toMatchObject({ code: 'invalid-request', errors: [{ pointer }] });
    expect((await readTakenSlots(world.store, companyId, startMs)).length).toBe(1);
  });

  test('is refused in any other media type, since a key must not get more rights than requested', async () => {
    const { key } = await onboard(world.store);
    const headers = { 'content-type': ['application/x-www-form-urlencoded'] };
    const refused = await call('createApiKey', { apiKey: key.apiKey, headers, body: '{"access":"read"}' });
    expect(refused.body.code).toBe('unsupported-media-type');
  });

  test('never works from an address from which its creating key does not work', async () => {
    const { companyId } = await onboard(world.store, { allowedCidrs: ['127.0.0.0/24'] });
    const allowedCidrs = ['127.0.0.0/30'];
    const limited = await issueKey(world.store, companyId, startMs, { ...defaultKeyOptions, allowedCidrs });
    const create = (body: object, minute: number) =>
      call('createApiKey', { apiKey: limited.apiKey, nowMs: atMinute(minute), ...asking(body) });
    expect((await create({}, 0)).body.allowedCidrs).toEqual(allowedCidrs);
    expect((await create({ allowedCidrs: ['127.0.0.1/32'] }, 1)).status).toBe(201);
    const refused = await create({ allowedCidrs: ['127.0.0.1/32', '127.0.0.4/32'] }, 2);
    expect(refused.body.errors).toEqual([
      { pointer: '/body/allowedCidrs/1', detail: expect.stringContaining('the key in use: 127.0.0.0/30') },
    ]);
  });

  test('works only from its own addresses, and the refusal names the key as the reason', async () => {
    const { companyId, key } = await onboard(world.store, { allowedCidrs: ['127.0.0.0/24'] });
    const options = { ...defaultKeyOptions, allowedCidrs: ['127.0.0.0/30'] };
    const { apiKey } = await issueKey(world.store, companyId, startMs, options);
    const from = async (sourceIp: string, ownKey = apiKey) =>
      (await call('listApiKeys', { apiKey: ownKey, sourceIp })).body;
    expect((await from('127.0.0.3')).items.length).toBe(2);
    expect(await from('127.0.0.4')).toMatchObject({
      code: 'source-address-not-allowed',
      detail: expect.stringContaining('this API key'),
    });
    expect((await from('127.0.0.4', key.apiKey)).items.length).toBe(2);
    expect((await from('192.0.2.1')).detail).toContain('registered for your company, or');
  });
});

describe('a key that may only read', () => {
  test('can read; any other request is refused before a token is consumed or anything is written', async () => {
    const { companyId } = await onboard(world.store);
    const { apiKey, keyId } = await issueKey(world.store, companyId, startMs, { ...defaultKeyOptions, access: 'read' });
    const before = await readAudit(world.store, companyId);
    world.proxy.begin();
    for (let count = 0; count <= ratePolicies.general.burst; count++) {
      const { status, body, headers } = await call('createApiKey', { apiKey });
      expect([status, body.code]).toEqual([403, 'api-key-read-only']);
      expect(headers['retry-after']).toBeUndefined();
    }
    expect(world.proxy.exchanges.filter(({ action }) => /Update|Put|Write/.test(action))).toEqual([]);
    expect(await readAudit(world.store, companyId)).toEqual(before);
    expect((await findApiKey(world.store, companyId, keyId))?.lastUsedOn).toBeNull();
    expect((await call('listApiKeys', { apiKey })).status).toBe(200);
  });

  test('is the default for a key whose access value this version does not know', async () => {
    const { companyId } = await onboard(world.store);
    const access = 'control' as 'full';
    const { apiKey } = await issueKey(world.store, companyId, startMs, { ...defaultKeyOptions, access });
    expect((await call('createApiKey', { apiKey })).body.code).toBe('api-key-read-only');
  });

  test('counts as the last key if the full-access key works from no registered address any more', async () => {
    const { companyId, company, key } = await onboard(world.store, { allowedCidrs: ['127.0.0.0/24', '127.0.1.0/24'] });
    const bound = await issueKey(world.store, companyId, atMinute(1), {
      ...defaultKeyOptions,
      allowedCidrs: ['127.0.1.8/32'],
    });
    const lastMs = async () =>
      Date.parse((await call('getOwnApiKey', { apiKey: key.apiKey, nowMs: atMinute(2) })).body.lastValidKeyExpiresAt);
    expect(await lastMs()).toBe(bound.expiresAtMs);
    await putCompany(world.store, { ...company, allowedCidrs: ['127.0.0.0/24'] });
    expect(await lastMs()).toBe(key.expiresAtMs);
  });

  test('may delete keys that are not limited to addresses', async () => {
    const { companyId, key } = await onboard(world.store);
    const { apiKey } = await issueKey(world.store, companyId, startMs, {
      ...defaultKeyOptions,
      allowedCidrs: ['127.0.0.1/32'],
    });
    expect((await call('deleteApiKey', { apiKey, pathParameters: { keyId: key.keyId } })).status).toBe(204);
  });

  test('does not count as the last key: without a full-access key, only the operator can issue one', async () => {
    const { companyId, key } = await onboard(world.store);
    const reader = await issueKey(world.store, companyId, atMinute(1), { ...defaultKeyOptions, access: 'read' });
    const own = async (apiKey: string) => (await call('getOwnApiKey', { apiKey, nowMs: atMinute(2) })).body;
    for (const apiKey of [key.apiKey, reader.apiKey])
      expect(await own(apiKey)).toMatchObject({ validKeys: 2, lastValidKeyExpiresAt: toTimestamp(key.expiresAtMs) });
  });
});

describe('listApiKeys', () => {
  test('rule 7: lists each key once, expired ones too, page by page, with state, last use and whether it is in use', async () => {
    const { companyId, key } = await onboard(world.store, { keys: 2, nowMs: addMonths(startMs, -7) });
    const [inUse] = await Promise.all([issueKey(world.store, companyId), issueKey(world.store, companyId)]);
    const items = [];
    let cursor: string | null = null;
    let minute = 0;
    do {
      const query: Record<string, string[]> = { limit: ['3'], ...(cursor && { cursor: [cursor] }) };
      const { body } = await call('listApiKeys', { apiKey: inUse.apiKey, nowMs: atMinute(minute++), query });
      expect(body.items.length).toBeLessThanOrEqual(3);
      items.push(...body.items);
      cursor = body.nextCursor;
      // A checksum and the last id, but no part of a hash.
      expect(Buffer.from(cursor ?? '', 'base64url').toString()).toMatch(/^([0-9A-Za-z]{22})?$/);
    } while (cursor);

    expect(new Set(items.map(({ keyId }) => keyId)).size).toBe(4);
    expect(items.length).toBe(4);
    expect(items.find(({ keyId }) => keyId === key.keyId)).toMatchObject({
      state: 'expired',
      lastUsedOn: null,
      inUse: false,
    });
    expect(items.find(({ keyId }) => keyId === inUse.keyId)).toMatchObject({
      state: 'valid',
      createdByKeyId: null,
      inUse: true,
    });
  });

  test.each([
    ['limit', '0'],
    ['limit', '101'],
    ['limit', '1.5'],
    ['limit', 'all'],
    ['limit', '0x10'],
    ['limit', '1e1'],
    ['limit', '+5'],
    ['limit', '5.0'],
    ['limit', ' 5'],
    ['limit', '٥'],
    ['limit', ''],
    ['cursor', 'made-up'],
    ['cursor', ''],
  ])('refuses %s=%s and says which parameter is wrong', async (name, value) => {
    const { key } = await onboard(world.store);
    const { status, body } = await call('listApiKeys', { apiKey: key.apiKey, query: { [name]: [value] } });
    expect(status).toBe(400);
    expect(body.errors).toEqual([{ pointer: `/query/${name}`, detail: expect.stringMatching(/^Expected a/) }]);
  });

  test('refuses a repeated parameter', async () => {
    const { key } = await onboard(world.store);
    const { body } = await call('listApiKeys', { apiKey: key.apiKey, query: { limit: ['1', '2'] } });
    expect(body).toMatchObject({ code: 'invalid-request', errors: [{ pointer: '/query/limit' }] });
  });

  test('a deletion refuses a misspelt parameter, which would leave keys valid', async () => {
    const { companyId, key } = await onboard(world.store);
    const { keyId } = await issueKey(world.store, companyId, startMs);
    const deletion = (query: Record<string, string[]>) =>
      call('deleteApiKey', { apiKey: key.apiKey, pathParameters: { keyId }, query });
    const { status, body } = await deletion({ descendents: ['true'] });
    const detail = 'Unknown parameter "descendents". Expected descendants.';
    expect([status, body.errors]).toEqual([400, [{ pointer: '/query/descendents', detail }]]);
    expect((await deletion({ descendants: ['true'] })).status).toBe(204);
  });

  test('refuses another company’s cursor', async () => {
    const [own, other] = [await onboard(world.store, { keys: 2 }), await onboard(world.store, { keys: 2 })];
    const query = { limit: ['1'] };
    const { body } = await call('listApiKeys', { apiKey: other.key.apiKey, query });
    const refused = await call('listApiKeys', { apiKey: own.key.apiKey, query: { cursor: [body.nextCursor] } });
    expect(refused.body).toMatchObject({ code: 'invalid-request', errors: [{ pointer: '/query/cursor' }] });
  });
});

test('getOwnApiKey shows what a client needs to rotate its key', async () => {
  const { companyId, key } = await onboard(world.store, { keys: 2 });
  const later = await issueKey(world.store, companyId, atMinute(1));
  const { body } = await call('getOwnApiKey', { apiKey: key.apiKey, nowMs: atMinute(2) });
  expect(body).toEqual({
    companyId,
    keyId: key.keyId,
    createdAt: toTimestamp(startMs),
    expiresAt: toTimestamp(key.expiresAtMs),
    sourceIp: '127.0.0.1',
    validKeys: 3,
    maxValidKeys: maxValidKeysPerCompany,
    lastValidKeyExpiresAt: toTimestamp(later.expiresAtMs),
    ...defaultKeyOptions,
  });
});

describe('deleteApiKey', () => {
  test('rule 8: a deleted key is refused by every request that begins after its 204', async () => {
    const { keys } = await onboard(world.store, { keys: 2 });
    const [caller, victim] = keys as [(typeof keys)[number], (typeof keys)[number]];
    expect((await call('getContract', { apiKey: victim.apiKey })).status).toBe(200);
    const deleted = await call('deleteApiKey', { apiKey: caller.apiKey, pathParameters: { keyId: victim.keyId } });
    expect(deleted.status).toBe(204);
    const afterwards = await Promise.all(
      Array.from({ length: 30 }, (_, minute) =>
        call('getContract', { apiKey: victim.apiKey, nowMs: atMinute(minute) }),
      ),
    );
    expect(new Set(afterwards.map(({ body }) => body.code))).toEqual(new Set(['api-key-invalid']));
  });

  test('rule 8: each of two keys deletes the other one, and neither itself', async () => {
    const { companyId, key: one } = await onboard(world.store);
    const other = await issueKey(world.store, companyId);
    const deletion = (by: NewKey, of: NewKey) =>
      call('deleteApiKey', { apiKey: by.apiKey, pathParameters: { keyId: of.keyId } });
    for (const own of [one, other]) expect((await deletion(own, own)).status).toBe(409);
    expect((await deletion(other, one)).status).toBe(204);
    expect((await deletion(other, other)).status).toBe(409);
    expect((await deletion(one, other)).status).toBe(401);
  });

  test('rule 8: removes an expired key too', async () => {
    const { companyId, key: expired } = await onboard(world.store, { nowMs: addMonths(startMs, -7) });
    const { apiKey } = await issueKey(world.store, companyId);
    const pathParameters = { keyId: expired.keyId };
    expect((await call('deleteApiKey', { apiKey, pathParameters })).status).toBe(204);
    expect((await call('deleteApiKey', { apiKey, pathParameters })).body.code).toBe('api-key-not-found');
  });

  test('rule 8: refuses the key in use, a foreign key and an unknown key, and deletes nothing', async () => {
    const [own, other] = [await onboard(world.store), await onboard(world.store)];
    const attempts = [
      [own.key.keyId, 'api-key-in-use'],
      [other.key.keyId, 'api-key-not-found'],
      ['unknown', 'api-key-not-found'],
    ] as const;
    for (const [keyId, code] of attempts) {
      const refused = await call('deleteApiKey', { apiKey: own.key.apiKey, pathParameters: { keyId } });
      expect(refused.body.code).toBe(code);
    }
    for (const { key } of [own, other]) expect((await call('getContract', { apiKey: key.apiKey })).status).toBe(200);
  });

  test('with descendants=true also deletes the keys created with it; a retry finds no key', async () => {
    const { companyId, key } = await onboard(world.store);
    const stolen = await issueKey(world.store, companyId);
    const { body: child } = await call('createApiKey', { apiKey: stolen.apiKey });
    const deletion = (apiKey: string, descendants: string, minute: number) =>
      call('deleteApiKey', {
        apiKey,
        pathParameters: { keyId: stolen.keyId },
        query: { descendants: [descendants] },
        nowMs: atMinute(minute),
      });
    const inUse = await deletion(child.apiKey, 'true', 1);
    expect(inUse.body).toMatchObject({
      code: 'api-key-in-use',
      detail: expect.stringContaining('Nothing was deleted'),
    });
    expect((await deletion(key.apiKey, 'yes', 2)).body.errors).toMatchObject([{ pointer: '/query/descendants' }]);
    expect((await deletion(key.apiKey, 'false', 3)).status).toBe(204);
    expect((await call('listApiKeys', { apiKey: child.apiKey })).status).toBe(200);
    expect((await deletion(key.apiKey, 'true', 4)).status).toBe(204);
    expect((await call('listApiKeys', { apiKey: child.apiKey })).body.code).toBe('api-key-invalid');
    expect((await deletion(key.apiKey, 'true', 5)).body.code).toBe('api-key-not-found');
  });
});
