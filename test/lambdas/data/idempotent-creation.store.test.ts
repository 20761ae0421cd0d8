import { randomUUID } from 'node:crypto';
import { DeleteCommand, PutCommand, QueryCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import { maxValidKeysPerCompany } from '../../../lambdas/api/limits.ts';
import { type TableName, tables } from '../../../lambdas/api/tables.ts';
import { createApiKeyOnce } from '../../../lambdas/data/api-keys/api-key-creation.ts';
import { deleteApiKey } from '../../../lambdas/data/api-keys/api-key-deletion.ts';
import {
  findApiKey,
  keyItemKey,
  listApiKeys,
  readTakenSlots,
  recordKeyUse,
  toKeyItem,
} from '../../../lambdas/data/api-keys/api-keys.ts';
import {
  defaultKeyOptions,
  type NewKey,
  type PresentedKey,
  parseKey,
  type StoredApiKey,
} from '../../../lambdas/domain/api-key.ts';
import { campaign, playRounds, size } from '../../support/campaign.ts';
import { overtakenBy, readAudit } from '../../support/store.ts';
import { issueKey, onboard, openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const presentedOf = ({ apiKey }: NewKey) => parseKey(apiKey) as PresentedKey;

const createOnce = (key: NewKey, value: string, nowMs = startMs, store = world.store) => {
  const caller = presentedOf(key);
  const { companyId } = caller;
  const auditContext = { companyId, nowMs, requestId: randomUUID(), operation: 'createOnce', actorKey: caller };
  return createApiKeyOnce(store, auditContext, caller, { value });
};

/** Returns the key that a request creates, or gets again. */
const created = async (...request: Parameters<typeof createOnce>) => {
  const creation = await createOnce(...request);
  if (!('key' in creation)) throw new Error(`Expected a key, got ${creation.outcome}.`);
  return creation.key;
};

/** Counts the keys, valid slots and audit rows of the company from the creations under test and their repeats. */
const tracesOf = async (companyId: string, actorKeyId: string) => {
  const { keys } = await listApiKeys(world.store, companyId, 100);
  const audit = await readAudit(world.store, companyId);
  return {
    keys: keys.filter(({ createdByKeyId }) => createdByKeyId === actorKeyId).length,
    slots: (await readTakenSlots(world.store, companyId, startMs)).length,
    auditRows: audit.filter(({ operation }) => operation === 'createOnce').length,
    repeatRows: audit.filter(({ operation }) => operation === 'createOnce repeat').length,
  };
};

const crowd = size({ test: 12, prove: 50 });

describe('equal concurrent requests', () => {
  test.for([
    ['one valid key', 1],
    ['nine valid keys, so that the first takes the last slot', maxValidKeysPerCompany - 1],
  ] as const)(
    `${crowd} with %s: one key, one slot, equal keys in all responses, an audit row for each`,
    campaign,
    async ([, keyCount], context) => {
      await playRounds(context, { test: 1, seconds: 6, full: 20 }, async () => {
        const { companyId, key } = await onboard(world.store, { keys: keyCount });
        const all = await Promise.all(
          Array.from({ length: crowd }, (_, index) => createOnce(key, 'v', startMs + index)),
        );
        expect(new Set(all.map((each) => JSON.stringify('key' in each && each.key))).size).toBe(1);
        expect(all.map(({ outcome }) => outcome).toSorted()).toEqual([
          'created',
          ...Array(crowd - 1).fill('shown-again'),
        ]);
        const rows = { auditRows: 1, repeatRows: crowd - 1 };
        expect(await tracesOf(companyId, key.keyId)).toEqual({ keys: 1, slots: keyCount + 1, ...rows });
      });
    },
  );

  test('one during the other: the second gets the key of the first', async () => {
    const { companyId, key } = await onboard(world.store);
    const first = { outcome: 'created', key: expect.anything() };
    const overtaken = overtakenBy(world.store, async () => Object.assign(first, await createOnce(key, 'v')));
    expect(await createOnce(key, 'v', startMs + 1, overtaken)).toEqual({ ...first, outcome: 'shown-again' });
    expect(await tracesOf(companyId, key.keyId)).toEqual({ keys: 1, slots: 2, auditRows: 1, repeatRows: 1 });
  });

  test('a day after an earlier one: all get one key, which is a new one', async () => {
    const { companyId, key } = await onboard(world.store);
    const before = await created(key, 'v');
    const nextDayMs = startMs + 86_400_000;
    const all = await Promise.all(Array.from({ length: 8 }, () => created(key, 'v', nextDayMs)));
    expect(new Set(all.map(({ apiKey }) => apiKey)).size).toBe(1);
    expect(all[0]?.keyId).not.toBe(before.keyId);
    expect(await tracesOf(companyId, key.keyId)).toEqual({ keys: 2, slots: 3, auditRows: 2, repeatRows: 7 });
  });

  test('with several values, of two keys and two companies: one key for each caller and value', async () => {
    const [own, other] = [await onboard(world.store, { keys: 2 }), await onboard(world.store)];
    const callers = [...own.keys, other.key];
    const all = await Promise.all(callers.flatMap((key) => ['a', 'a', 'b', 'b'].map((value) => created(key, value))));
    expect(new Set(all.map(({ apiKey }) => apiKey)).size).toBe(2 * callers.length);
    expect(new Set(all.map(({ apiKey }) => apiKey.slice(-49, -6))).size).toBe(2 * callers.length);
  });
});

test('the same value creates another key as soon as a day has passed', async () => {
  const { key } = await onboard(world.store);
  const first = await created(key, 'v');
  const dayMs = 86_400_000;
  expect((await created(key, 'v', startMs + dayMs - 1)).keyId).toBe(first.keyId);
  expect((await created(key, 'v', startMs + dayMs)).keyId).not.toBe(first.keyId);
});

describe('the last slot', () => {
  test('goes to one of two concurrent creations; the other one reaches the limit', async () => {
    const { companyId, key } = await onboard(world.store, { keys: maxValidKeysPerCompany - 1 });
    const overtaken = overtakenBy(world.store, () => createOnce(key, 'first'));
    expect(await createOnce(key, 'second', startMs, overtaken)).toMatchObject({ outcome: 'api-key-limit-reached' });
    expect((await readTakenSlots(world.store, companyId, startMs)).length).toBe(maxValidKeysPerCompany);
  });

  test('goes to the new key if its key expires at that very moment', async () => {
    const { companyId, keys } = await onboard(world.store, { keys: maxValidKeysPerCompany - 1 });
    const nowMs = keys[0]?.expiresAtMs as number;
    const caller = await issueKey(world.store, companyId, nowMs - 1000);
    expect(await createOnce(caller, 'v', nowMs)).toMatchObject({ outcome: 'created' });
    expect((await readTakenSlots(world.store, companyId, nowMs)).length).toBe(2);
  });
});

describe('a key that was used or deleted', () => {
  const use = async ({ companyId, keyId }: { companyId: string; keyId: string }) =>
    recordKeyUse(world.store, (await findApiKey(world.store, companyId, keyId)) as StoredApiKey, startMs);

  const spent = { outcome: 'idempotency-key-spent' };

  test('is not returned again, even if the repeat has read its record before the use', async () => {
    const { companyId, key } = await onboard(world.store);
    const { keyId } = await created(key, 'v');
    const overtaken = overtakenBy(world.store, () => use({ companyId, keyId }));
    expect(await createOnce(key, 'v', startMs, overtaken)).toEqual(spent);
    expect(await tracesOf(companyId, key.keyId)).toMatchObject({ keys: 1, repeatRows: 0 });
  });

  test('is not returned again, even if another key was stored under its id', async () => {
    const { companyId, key } = await onboard(world.store);
    const { keyId } = await created(key, 'v');
    const record = (await findApiKey(world.store, companyId, keyId)) as StoredApiKey;
    const TableName = world.store.tableName('ApiKeys');
    await world.store.send(new DeleteCommand({ TableName, Key: keyItemKey(record) }));
    const another = toKeyItem({ ...record, hash: new Uint8Array(32) });
    await world.store.send(new PutCommand({ TableName, Item: another }));
    expect(await createOnce(key, 'v')).toEqual(spent);
  });

  test('is not returned after a first use among 8 repeats; each key returned before is recorded', campaign, (context) =>
    playRounds(context, { test: 1, seconds: 6, full: 100 }, async () => {
      const { companyId, key } = await onboard(world.store);
      const { keyId } = await created(key, 'v');
      const repeats = Array.from({ length: 8 }, () => createOnce(key, 'v'));
      await use({ companyId, keyId });
      const afterwards = await Promise.all(Array.from({ length: 4 }, () => createOnce(key, 'v')));
      expect(afterwards).toEqual(Array(4).fill(spent));
      const shown = (await Promise.all(repeats)).filter(({ outcome }) => outcome === 'shown-again');
      expect((await tracesOf(companyId, key.keyId)).repeatRows).toBe(shown.length);
    }),
  );
});

test('a caller whose key was deleted or has expired meanwhile gets no key again', async () => {
  const { companyId, keys } = await onboard(world.store, { keys: 2 });
  const [caller, other] = keys as [NewKey, NewKey];
  await created(caller, 'v');
  const auditContext = { companyId, nowMs: startMs, requestId: 'r', operation: 'delete', actorKey: other };
  await deleteApiKey(world.store, auditContext, caller.keyId);
  expect(await createOnce(caller, 'v')).toEqual({ outcome: 'api-key-invalid' });
  expect(await tracesOf(companyId, caller.keyId)).toMatchObject({ keys: 1, repeatRows: 0 });
  await created(other, 'v', other.expiresAtMs - 1);
  expect(await createOnce(other, 'v', other.expiresAtMs)).toEqual({ outcome: 'api-key-expired' });
});

test('a caller whose key was deleted or has expired meanwhile creates no key and leaves no record', async () => {
  const { companyId, keys } = await onboard(world.store, { keys: 2 });
  const [first, second] = keys as [NewKey, NewKey];
  const auditContext = { companyId, nowMs: startMs, requestId: 'r', operation: 'delete', actorKey: second };
  await deleteApiKey(world.store, auditContext, first.keyId);
  expect(await createOnce(first, 'v')).toEqual({ outcome: 'api-key-invalid' });
  expect(await createOnce(second, 'v', second.expiresAtMs)).toEqual({ outcome: 'api-key-expired' });
  const records = new QueryCommand({
    TableName: world.store.tableName('IdempotencyRecords'),
    KeyConditionExpression: 'companyId = :companyId',
    ExpressionAttributeValues: { ':companyId': companyId },
  });
  expect((await world.store.send(records)).Items).toEqual([]);
});

describe('the stored data', () => {
  /** Every item of every table, bytes as text. */
  const everything = async () => {
    const scans = (Object.keys(tables) as TableName[]).map((name) =>
      world.store.send(new ScanCommand({ TableName: world.store.tableName(name) })),
    );
    const items = (await Promise.all(scans)).flatMap(({ Items = [] }) => Items);
    return JSON.stringify(items, (_, value) =>
      value instanceof Uint8Array
        ? ['latin1', 'hex', 'base64'].map((encoding) => Buffer.from(value).toString(encoding as BufferEncoding))
        : value,
    );
  };

  test('contains no key, no eight characters of a secret, and no value', async () => {
    const { key } = await onboard(world.store);
    const value = randomUUID();
    const { apiKey, keyId } = await created(key, value);
    const stored = await everything();
    expect(stored).toContain(keyId);
    expect(stored).not.toContain(value);
    for (const text of [apiKey, key.apiKey]) {
      const secret = text.slice(-49);
      for (let start = 0; start + 8 <= secret.length; start++)
        expect(stored).not.toContain(secret.slice(start, start + 8));
    }
  });

  test('of a request is its salt, its time, the options of its key, and its expiry 24 hours later', async () => {
    const { companyId, key } = await onboard(world.store);
    await created(key, 'v', startMs + 1);
    const { Items = [] } = await world.store.send(
      new ScanCommand({
        TableName: world.store.tableName('IdempotencyRecords'),
        FilterExpression: 'companyId = :companyId',
        ExpressionAttributeValues: { ':companyId': companyId },
      }),
    );
    expect(Items).toEqual([
      {
        companyId,
        sk: expect.stringMatching(new RegExp(`^${key.keyId}#[0-9a-f]{64}$`)),
        salt: expect.any(Uint8Array),
        createdAtMs: startMs + 1,
        options: defaultKeyOptions,
        removeAt: startMs / 1000 + 86_400 + 1,
      },
    ]);
    expect(Items[0]?.salt.length).toBe(32);
  });
});
