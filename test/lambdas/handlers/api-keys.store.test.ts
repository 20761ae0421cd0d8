import { beforeAll, describe, expect, test } from 'vitest';
import { maxValidKeysPerCompany } from '../../../lambdas/api/limits.ts';
import { findApiKey } from '../../../lambdas/data/api-keys/api-keys.ts';
import { addMonths, toTimestamp } from '../../../lambdas/domain/time.ts';
import { call } from '../../support/call.ts';
import { readAudit } from '../../support/store.ts';
import { issueKey, onboard, openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

/** Far enough apart that no call meets the rate limit. */
const atMinute = (minute: number) => startMs + minute * 60_000;

describe('createApiKey', () => {
  test('shows a new key once, valid for six calendar months, and leaves the one in use valid', async () => {
    const { companyId, key } = await onboard(world.store);
    const created = await call('createApiKey', { apiKey: key.apiKey });

    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({
      createdAt: toTimestamp(startMs),
      expiresAt: toTimestamp(addMonths(startMs, 6)),
    });
    expect(created.headers.location).toBe(`/v1/api-keys/${created.body.keyId}`);
    for (const apiKey of [created.body.apiKey, key.apiKey])
      expect((await call('getContract', { apiKey })).status).toBe(200);

    const record = await findApiKey(world.store, companyId, created.body.keyId);
    expect(record).toMatchObject({ createdByKeyId: key.keyId, lastUsedOn: '2036-03-10' });
  });

  test('at the limit names the valid keys, so that one can be deleted', async () => {
    const { key, keys } = await onboard(world.store, { keys: maxValidKeysPerCompany });
    const refused = await call('createApiKey', { apiKey: key.apiKey });
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({ code: 'api-key-limit-reached', maxValidKeys: maxValidKeysPerCompany });
    expect(refused.body.validKeys.map(({ keyId }: { keyId: string }) => keyId).toSorted()).toEqual(
      keys.map(({ keyId }) => keyId).toSorted(),
    );
  });

  test('is on record with its key id, never with the key', async () => {
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

describe('listApiKeys', () => {
  test('lists all keys with state, day of last use and which is in use, in pages that miss and repeat none', async () => {
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
      // A checksum and the last id: nothing of a hash.
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

  test('refuses a parameter that is given twice', async () => {
    const { key } = await onboard(world.store);
    const { body } = await call('listApiKeys', { apiKey: key.apiKey, query: { limit: ['1', '2'] } });
    expect(body).toMatchObject({ code: 'invalid-request', errors: [{ pointer: '/query/limit' }] });
  });

  test('leaves parameters alone that it does not know, however often they are given and whatever they are called', async () => {
    const { key } = await onboard(world.store);
    const unknown = [
      'utm',
      'a/b~c',
      '__proto__',
      'constructor',
      ...Array.from({ length: 1000 }, (_, index) => `p${index}`),
    ];
    const query = Object.fromEntries(unknown.map((name) => [name, ['1', '2']]));
    expect((await call('listApiKeys', { apiKey: key.apiKey, query })).status).toBe(200);
  });

  test('refuses another company’s cursor', async () => {
    const [own, other] = [await onboard(world.store, { keys: 2 }), await onboard(world.store, { keys: 2 })];
    const query = { limit: ['1'] };
    const { body } = await call('listApiKeys', { apiKey: other.key.apiKey, query });
    const refused = await call('listApiKeys', { apiKey: own.key.apiKey, query: { cursor: [body.nextCursor] } });
    expect(refused.body).toMatchObject({ code: 'invalid-request', errors: [{ pointer: '/query/cursor' }] });
  });
});

test('getOwnApiKey tells what a client needs to rotate itself', async () => {
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
  });
});

describe('deleteApiKey', () => {
  test('a deleted key is refused by every request that begins after its 204', async () => {
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

  test('removes an expired key too', async () => {
    const { companyId, key: expired } = await onboard(world.store, { nowMs: addMonths(startMs, -7) });
    const { apiKey } = await issueKey(world.store, companyId);
    const pathParameters = { keyId: expired.keyId };
    expect((await call('deleteApiKey', { apiKey, pathParameters })).status).toBe(204);
    expect((await call('deleteApiKey', { apiKey, pathParameters })).body.code).toBe('api-key-not-found');
  });

  test('refuses the key in use, a foreign key and an unknown key, and deletes none of them', async () => {
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
});
