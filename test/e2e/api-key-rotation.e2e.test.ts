import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { problems } from '../../lambdas/api/problems.ts';
import {
  type ApiKeyStore,
  deleteReplacedApiKey,
  type KeptApiKey,
  rotateApiKey,
  rotateApiKeyIfDue,
} from '../../partner/client/api-key-rotation.ts';
import { createPartnerClient } from '../../partner/client/partner-client.ts';
import { proven } from '../support/campaign.ts';
import { done, fetchFrom } from '../support/partner.ts';
import { openService, type Service } from '../support/service.ts';
import { issueKey, onboard } from '../support/world.ts';

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.close());

const dayMs = 86_400_000;

/** A partner with one key; a crash of its process loses everything except the stored key. */
const partner = async (ageDays: number) => {
  const { companyId, key } = await onboard(service.local.store, { nowMs: Date.now() - ageDays * dayMs });
  const history: KeptApiKey[] = [{ apiKey: key.apiKey }];
  const kept = () => history.at(-1) as KeptApiKey;
  const store: ApiKeyStore = {
    read: async () => kept(),
    keep: async (next) => {
      history.push(next);
    },
  };
  const wasKept = (apiKey: string | null) => history.some((each) => each.apiKey === apiKey);
  return { companyId, key, store, kept, wasKept };
};

type Partner = Awaited<ReturnType<typeof partner>>;

class Crash extends Error {}

/** Starts the partner's process, which can crash after any of its steps outside the process. */
const start = ({ store, kept, wasKept }: Partner, lastStep = Number.POSITIVE_INFINITY) => {
  let steps = 0;
  const watched = async <Result>(act: () => Promise<Result>): Promise<Result> => {
    const result = await act();
    if (++steps === lastStep) throw new Crash();
    return result;
  };
  const send = fetchFrom(service, '127.0.0.1');
  const client = createPartnerClient({
    baseUrl: service.demo.baseUrl,
    apiKey: kept().apiKey,
    fetch: (url, init) => {
      if (!wasKept(new Headers(init?.headers).get('x-api-key'))) throw new Error('A key is used before it is kept.');
      return watched(() => send(url, init));
    },
  });
  const watchedStore: ApiKeyStore = { ...store, keep: (next) => watched(() => store.keep(next)) };
  return { client, store: watchedStore, steps: () => steps };
};

const keysOf = async (apiKey: string) => {
  const client = createPartnerClient({ baseUrl: service.demo.baseUrl, apiKey, fetch: fetchFrom(service, '127.0.0.1') });
  return (await done(client.call('listApiKeys'))).body.items;
};

/** Rotates without an overlap: the next run deletes the replaced key. */
const run = ({ client, store }: ReturnType<typeof start>) => rotateApiKeyIfDue(client, store, { overlapHours: 0 });

test('a due key is replaced, stays valid until the next run, and is deleted by that run', proven, async () => {
  const one = await partner(160);
  const first = start(one);
  expect(await run(first)).toBe(true);
  expect(one.kept()).toMatchObject({
    apiKey: expect.not.stringContaining(one.key.apiKey),
    replaced: { keyId: one.key.keyId },
  });
  const { body: own } = await done(first.client.call('getOwnApiKey'));
  expect(own).toMatchObject({ validKeys: 2, keyId: expect.not.stringContaining(one.key.keyId) });
  const other = start(one);
  expect(await other.client.call('getOwnApiKey', { apiKey: one.key.apiKey })).toMatchObject({ ok: true });

  expect(await run(other)).toBe(false);
  expect(one.kept()).toEqual({ apiKey: expect.any(String) });
  expect(await keysOf(one.kept().apiKey)).toMatchObject([{ keyId: own.keyId, inUse: true }]);
});

test.each([
  [30, true],
  [10, false],
])('with about 20 days left and %d days before expiry, due is %s', proven, async (daysBeforeExpiry, isDue) => {
  const { client, store } = start(await partner(161));
  expect(await rotateApiKeyIfDue(client, store, { daysBeforeExpiry })).toBe(isDue);
});

test('a replaced key stays valid for the overlap, and no longer', proven, async () => {
  const one = await partner(160);
  const { client, store } = start(one);
  await rotateApiKeyIfDue(client, store);
  await rotateApiKeyIfDue(client, store);
  expect(await keysOf(one.kept().apiKey)).toHaveLength(2);
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
  const replacedAt = (at: string) => one.store.keep({ ...one.kept(), replaced: { keyId: one.key.keyId, at } });
  await replacedAt(hoursAgo(47));
  await rotateApiKeyIfDue(client, store);
  expect(await keysOf(one.kept().apiKey)).toHaveLength(2);
  await replacedAt(hoursAgo(48));
  await rotateApiKeyIfDue(client, store);
  expect(await keysOf(one.kept().apiKey)).toMatchObject([{ inUse: true }]);
});

test('a rotation that is due during the overlap ends it: only one key can be stored as replaced', proven, async () => {
  const one = await partner(160);
  const { client, store } = start(one);
  for (let rotations = 0; rotations < 3; rotations++) await rotateApiKeyIfDue(client, store, { daysBeforeExpiry: 400 });
  expect(await keysOf(one.kept().apiKey)).toHaveLength(2);
});

test('with an immediate rotation, the old key is deleted at once', proven, async () => {
  const one = await partner(0);
  const { client, store } = start(one);
  await rotateApiKey(client, store);
  expect(await deleteReplacedApiKey(client, store)).toEqual(one.kept());
  expect(await keysOf(one.kept().apiKey)).toHaveLength(1);
  expect(await client.call('getOwnApiKey', { apiKey: one.key.apiKey })).toMatchObject({
    problem: { code: 'api-key-invalid' },
  });
});

test('two concurrent processes end with one new key, which both use', proven, async () => {
  const one = await partner(160);
  const processes = [start(one), start(one)];
  await Promise.all(processes.map(run));
  expect(await keysOf(one.kept().apiKey)).toHaveLength(2);
  for (const { client, store } of processes) await deleteReplacedApiKey(client, store);
  expect(await keysOf(one.kept().apiKey)).toHaveLength(1);
  for (const { client } of processes) expect(await client.call('listApiKeys')).toMatchObject({ ok: true });
});

describe('after a crash at any step, another run ends with one stored, working key', () => {
  const steps = {
    'of a rotation': [
      'reading which key it is',
      'keeping a value for the creation',
      'creating the new one',
      'keeping it',
      'trying it',
    ],
    'of the run after it': ['reading which key it is', 'deleting the old one', 'keeping that'],
  };

  test('there are no other steps', proven, async () => {
    const one = await partner(160);
    const [rotation, next] = [start(one), start(one)];
    await run(rotation);
    await run(next);
    expect([rotation.steps(), next.steps()]).toEqual(Object.values(steps).map(({ length }) => length));
  });

  const crashes = Object.entries(steps).flatMap(([of, names]) =>
    names.map((name, index) => [of, name, index + 1] as const),
  );
  test.each(crashes)('%s: %s', proven, async (of, _, step) => {
    const one = await partner(160);
    if (of !== 'of a rotation') await run(start(one));
    await expect(run(start(one, step))).rejects.toThrow(Crash);
    // Twice: once to recover from the crash, and once to delete the replaced key.
    await run(start(one));
    await run(start(one));
    expect(one.kept()).toEqual({ apiKey: expect.any(String) });
    const keys = await keysOf(one.kept().apiKey);
    expect(keys).toMatchObject([{ state: 'valid', inUse: true }]);
    expect(keys[0]?.keyId).not.toBe(one.key.keyId);
  });
});

test('the same client continues after a failed step', proven, async () => {
  const one = await partner(160);
  const { client, store } = start(one, 3);
  await expect(rotateApiKey(client, store)).rejects.toThrow(Crash);
  await rotateApiKey(client, store);
  await deleteReplacedApiKey(client, store);
  expect(await keysOf(one.kept().apiKey)).toHaveLength(1);
});

test('each creation’s idempotency value is random, stored before it and removed with it', proven, async () => {
  const values = await Promise.all(
    [1, 2].map(async () => {
      const one = await partner(160);
      await expect(run(start(one, 2))).rejects.toThrow(Crash);
      const { idempotencyKey } = one.kept();
      // A run that finds the stored value stores none, so its second step is the creation.
      await expect(run(start(one, 2))).rejects.toThrow(Crash);
      expect(one.kept()).toEqual({ apiKey: one.key.apiKey, idempotencyKey });
      await run(start(one));
      expect(one.kept()).not.toHaveProperty('idempotencyKey');
      return idempotencyKey;
    }),
  );
  expect(new Set(values).size).toBe(2);
  for (const value of values) expect(value).toMatch(/^[0-9a-f]{32}$/);
});

test(
  'if the new key was used before it was stored, another is created, and the first is identifiable',
  proven,
  async () => {
    const one = await partner(160);
    await expect(run(start(one, 2))).rejects.toThrow(Crash);
    const { idempotencyKey } = one.kept();
    const stranger = createPartnerClient({
      baseUrl: service.demo.baseUrl,
      apiKey: one.key.apiKey,
      fetch: fetchFrom(service, '127.0.0.1'),
    });
    const headers = { 'Idempotency-Key': idempotencyKey ?? '' };
    const { body: stolen } = await done(stranger.call('createApiKey', { headers }));
    await done(stranger.call('getOwnApiKey', { apiKey: stolen.apiKey }));
    await run(start(one));
    expect(one.kept().apiKey).not.toBe(stolen.apiKey);
    const keys = await keysOf(one.kept().apiKey);
    expect(keys.find(({ keyId }) => keyId === stolen.keyId)).toMatchObject({
      createdByKeyId: one.key.keyId,
      inUse: false,
    });
  },
);

test('a process that is a whole rotation late creates nothing and uses the stored key', proven, async () => {
  const one = await partner(160);
  const late = start(one);
  const lateStore: ApiKeyStore = { ...late.store, read: firstThen({ apiKey: one.key.apiKey }, one.store.read) };
  await run(start(one));
  await rotateApiKeyIfDue(late.client, lateStore, { overlapHours: 0 });
  expect(await keysOf(one.kept().apiKey)).toHaveLength(2);
  expect(await late.client.call('getOwnApiKey')).toMatchObject({
    body: { keyId: expect.not.stringContaining(one.key.keyId) },
  });
});

/** Returns a reader that returns `first` once, and then the present value. */
const firstThen = (first: KeptApiKey, read: ApiKeyStore['read']): ApiKeyStore['read'] => {
  let isFirst = true;
  return async () => {
    if (!isFirst) return read();
    isFirst = false;
    return first;
  };
};

test('if the new key was deleted before it was stored, another key is created', proven, async () => {
  const one = await partner(160);
  await expect(run(start(one, 3))).rejects.toThrow(Crash);
  const created = (await keysOf(one.key.apiKey)).find(({ keyId }) => keyId !== one.key.keyId);
  const { client } = start(one);
  await client.call('deleteApiKey', { path: { keyId: created?.keyId ?? '' } });
  await run(start(one));
  await run(start(one));
  expect(await keysOf(one.kept().apiKey)).toMatchObject([{ inUse: true }]);
});

test(
  'an error names its step and reason, contains no key, and keeps key and value for the next run',
  proven,
  async () => {
    const one = await partner(160);
    for (let others = 0; others < 9; others++) await issueKey(service.local.store, one.companyId, Date.now());
    const { client, store } = start(one);
    const error = await rotateApiKey(client, store).catch((thrown) => thrown);
    const { title, detail } = problems['api-key-limit-reached'];
    expect(error).toMatchObject({
      name: 'RotationError',
      message: `Creating a key: ${title} (api-key-limit-reached). ${detail}`,
      answer: { problem: { validKeys: expect.any(Array) } },
    });
    expect(JSON.stringify(error) + error.stack).not.toContain(one.key.apiKey.slice(-49));
    expect(one.kept()).toEqual({ apiKey: one.key.apiKey, idempotencyKey: expect.stringMatching(/^[0-9a-f]{32}$/) });
  },
);

test('a deletion without an answer does not count as done', proven, async () => {
  const one = await partner(160);
  await run(start(one));
  const send = fetchFrom(service, '127.0.0.1');
  const { baseUrl } = service.demo;
  const client = createPartnerClient({
    baseUrl,
    apiKey: one.kept().apiKey,
    fetch: async (url, init) => {
      if (init?.method !== 'DELETE') return send(url, init);
      throw new TypeError('fetch failed');
    },
  });
  await expect(rotateApiKeyIfDue(client, one.store, { overlapHours: 0 })).rejects.toThrow(
    'Deleting the replaced key: The connection failed',
  );
  expect(one.kept().replaced?.keyId).toBe(one.key.keyId);
});

test('a process that did not rotate uses the stored key', proven, async () => {
  const one = await partner(160);
  const follower = start(one);
  await run(start(one));
  expect(await run(follower)).toBe(false);
  expect(await follower.client.call('getOwnApiKey')).toMatchObject({ ok: true, body: { validKeys: 1 } });
});
