import { randomUUID } from 'node:crypto';
import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import { maxValidKeysPerCompany } from '../../../lambdas/api/limits.ts';
import { createApiKey } from '../../../lambdas/data/api-keys/api-key-creation.ts';
import { deleteApiKey } from '../../../lambdas/data/api-keys/api-key-deletion.ts';
import {
  findApiKey,
  listApiKeys,
  readTakenSlots,
  recordKeyUse,
  slotItemKey,
} from '../../../lambdas/data/api-keys/api-keys.ts';
import { putDueNotices } from '../../../lambdas/data/api-keys/key-notices.ts';
import type { AuditContext } from '../../../lambdas/data/audit.ts';
import {
  defaultKeyOptions,
  isValidAt,
  type KeyIdentity,
  type NewKey,
  type StoredApiKey,
} from '../../../lambdas/domain/api-key.ts';
import { addMonths, toDate } from '../../../lambdas/domain/time.ts';
import { campaign, playRounds, size } from '../../support/campaign.ts';
import { at } from '../../support/stage/rows.ts';
import { consistencyOf, overtakenBy } from '../../support/store.ts';
import { issueKey, onboard, openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const actOf = (companyId: string, actorKey: KeyIdentity | null, nowMs = startMs): AuditContext => ({
  companyId,
  nowMs,
  requestId: randomUUID(),
  operation: 'test',
  actorKey,
});

/** Returns the company's valid keys. Checks that its records and its slots agree. */
const validKeyIds = async (companyId: string, nowMs = startMs) => {
  const { keys } = await listApiKeys(world.store, companyId, 100);
  const byRecord = keys.filter((key) => isValidAt(key, nowMs)).map(({ keyId }) => keyId);
  const bySlot = (await readTakenSlots(world.store, companyId, nowMs)).map(({ keyId }) => keyId);
  expect(bySlot.toSorted()).toEqual(byRecord.toSorted());
  return byRecord;
};

describe('creation', () => {
  const crowd = size({ test: 15, prove: 50 });
  test(
    `of ${crowd} concurrent requests with nine valid keys, one succeeds and the others reach the limit`,
    campaign,
    (context) =>
      playRounds(context, { test: 1, seconds: 8, full: 50 }, async () => {
        const { companyId, keys } = await onboard(world.store, { keys: maxValidKeysPerCompany - 1 });
        const creations = await Promise.all(
          Array.from({ length: crowd }, (_, index) =>
            createApiKey(world.store, actOf(companyId, keys[index % keys.length] ?? null)),
          ),
        );
        const outcomes = Object.groupBy(creations, ({ outcome }) => outcome);
        expect(outcomes.created?.length).toBe(1);
        expect(outcomes['api-key-limit-reached']?.length).toBe(crowd - 1);
        expect((await validKeyIds(companyId)).length).toBe(maxValidKeysPerCompany);
      }),
  );

  test('stores the label, access and allowed addresses of a key in its slot and in its record', async () => {
    const { companyId, key } = await onboard(world.store);
    const options = { access: 'read', allowedCidrs: ['127.0.0.1/32'], label: 'Reporting' } as const;
    const creation = await createApiKey(world.store, actOf(companyId, key), options);
    const { keyId } = creation.outcome === 'created' ? creation.key : key;
    const slots = await readTakenSlots(world.store, companyId, startMs);
    expect(slots.find((slot) => slot.keyId === keyId)).toMatchObject(options);
    expect(slots.find((slot) => slot.keyId === key.keyId)).toMatchObject(defaultKeyOptions);
    expect(await findApiKey(world.store, companyId, keyId)).toMatchObject(options);
  });

  test('rule 5: fails if the caller’s key was deleted or has expired meanwhile', async () => {
    const { companyId, keys } = await onboard(world.store, { keys: 2 });
    const [first, second] = keys as [(typeof keys)[number], (typeof keys)[number]];
    await deleteApiKey(world.store, actOf(companyId, second), first.keyId);
    expect(await createApiKey(world.store, actOf(companyId, first))).toEqual({ outcome: 'api-key-invalid' });
    for (const nowMs of [second.expiresAtMs, second.expiresAtMs + 1])
      expect(await createApiKey(world.store, actOf(companyId, second, nowMs))).toEqual({
        outcome: 'api-key-expired',
      });
    expect(await validKeyIds(companyId)).toEqual([second.keyId]);
  });

  test('rule 4: of two concurrent requests for the tenth key, the second reaches the limit', async () => {
    const { companyId, key } = await onboard(world.store, { keys: 9 });
    const create = (store = world.store) => createApiKey(store, actOf(companyId, key));
    const overtaken = overtakenBy(world.store, () => create());
    expect(await create(overtaken)).toMatchObject({ outcome: 'api-key-limit-reached' });
    expect((await validKeyIds(companyId)).length).toBe(10);
  });
});

describe('deletion', () => {
  test.for([
    ['two keys that delete each other', 2],
    ['three keys that delete each other in a ring', 3],
  ] as const)('%s concurrently: at least one key is left', campaign, async ([, ringLength], context) => {
    await playRounds(context, { test: 2, seconds: 6, full: 200 }, async () => {
      const { companyId, keys } = await onboard(world.store, { keys: ringLength });
      const deletions = await Promise.all(
        keys.map((key, index) => {
          const victim = keys[(index + 1) % ringLength]?.keyId as string;
          return deleteApiKey(world.store, actOf(companyId, key), victim);
        }),
      );
      const left = await validKeyIds(companyId);
      expect(left.length).toBeGreaterThanOrEqual(1);
      expect(left.length).toBe(ringLength - deletions.filter(({ outcome }) => outcome === 'deleted').length);
    });
  });

  test('by many concurrent requests for one key succeeds once; the others do not find the key', async () => {
    const { companyId, keys } = await onboard(world.store, { keys: 2 });
    const [caller, victim] = keys as [(typeof keys)[number], (typeof keys)[number]];
    const deletions = await Promise.all(
      Array.from({ length: 8 }, () => deleteApiKey(world.store, actOf(companyId, caller), victim.keyId)),
    );
    const outcomes = Object.groupBy(deletions, ({ outcome }) => outcome);
    expect(outcomes.deleted?.length).toBe(1);
    expect(outcomes['api-key-not-found']?.length).toBe(7);
  });

  test('fails if the caller’s key was deleted or has expired meanwhile', async () => {
    const { companyId, keys } = await onboard(world.store, { keys: 2 });
    const [caller, target] = keys as [(typeof keys)[number], (typeof keys)[number]];
    for (const nowMs of [caller.expiresAtMs, caller.expiresAtMs + 1])
      expect(await deleteApiKey(world.store, actOf(companyId, caller, nowMs), target.keyId)).toEqual({
        outcome: 'api-key-expired',
      });
    await deleteApiKey(world.store, actOf(companyId, target), caller.keyId);
    expect(await deleteApiKey(world.store, actOf(companyId, caller), target.keyId)).toEqual({
      outcome: 'api-key-invalid',
    });
    expect(await validKeyIds(companyId)).toEqual([target.keyId]);
  });

  test('rule 7: of expired keys, which stay until then and block no new keys, leaves the new keys in their slots', async () => {
    const { companyId, keys } = await onboard(world.store, { keys: maxValidKeysPerCompany });
    const laterMs = addMonths(startMs, 6);
    const newKeys: NewKey[] = [];
    for (let made = 0; made < maxValidKeysPerCompany; made++)
      newKeys.push(await issueKey(world.store, companyId, laterMs));
    const valid = await validKeyIds(companyId, laterMs);
    expect(valid.length).toBe(maxValidKeysPerCompany);
    expect((await listApiKeys(world.store, companyId, 100)).keys.length).toBe(2 * maxValidKeysPerCompany);
    expect(await createApiKey(world.store, actOf(companyId, null, laterMs))).toMatchObject({
      outcome: 'api-key-limit-reached',
    });
    const act = actOf(companyId, newKeys[0] ?? null, laterMs);
    const deletions = await Promise.all(keys.map(({ keyId }) => deleteApiKey(world.store, act, keyId)));
    expect(deletions).toEqual(keys.map(() => ({ outcome: 'deleted' })));
    expect(await validKeyIds(companyId, laterMs)).toEqual(valid);
  });

  test('frees the slot of a key even if the slot is restored concurrently', async () => {
    const { companyId, keys } = await onboard(world.store, { keys: 2 });
    const [caller, target] = keys as [(typeof keys)[number], (typeof keys)[number]];
    const slots = await readTakenSlots(world.store, companyId, startMs);
    const { slot = -1, ...held } = slots.find(({ keyId }) => keyId === target.keyId) ?? {};
    const TableName = world.store.tableName('ApiKeys');
    await world.store.send(new DeleteCommand({ TableName, Key: slotItemKey(companyId, slot) }));
    const bringBack = () =>
      world.store.send(new PutCommand({ TableName, Item: { ...slotItemKey(companyId, slot), slot, ...held } }));
    const overtaken = overtakenBy(world.store, bringBack, 2);
    const deletion = await deleteApiKey(overtaken, actOf(companyId, caller), target.keyId);
    expect(deletion).toEqual({ outcome: 'deleted' });
    expect(await validKeyIds(companyId)).toEqual([caller.keyId]);
  });

  test('of a valid key frees its slot', async () => {
    const { companyId, keys, key } = await onboard(world.store, { keys: maxValidKeysPerCompany });
    await deleteApiKey(world.store, actOf(companyId, key), keys.at(-1)?.keyId as string);
    expect(await createApiKey(world.store, actOf(companyId, key))).toMatchObject({ outcome: 'created' });
    expect((await validKeyIds(companyId)).length).toBe(maxValidKeysPerCompany);
  });
});

describe('the day of use', () => {
  test('is recorded once per key and day', async () => {
    const { companyId, key } = await onboard(world.store);
    const record = await findApiKey(world.store, companyId, key.keyId);
    const uses = await Promise.all(
      Array.from({ length: 8 }, () => recordKeyUse(world.store, record as NonNullable<typeof record>, startMs)),
    );
    expect(uses.filter((isNoted) => isNoted).length).toBe(1);
    expect((await findApiKey(world.store, companyId, key.keyId))?.lastUsedOn).toBe(toDate(startMs));
  });

  test('is recorded again on the next day, and never for an earlier day', async () => {
    const { companyId, key } = await onboard(world.store);
    const record = (await findApiKey(world.store, companyId, key.keyId)) as StoredApiKey;
    const nextDayMs = startMs + 86_400_000;
    for (const nowMs of [startMs, nextDayMs]) await recordKeyUse(world.store, record, nowMs);
    expect(await recordKeyUse(world.store, record, startMs)).toBe(false);
    expect((await findApiKey(world.store, companyId, key.keyId))?.lastUsedOn).toBe(toDate(nextDayMs));
  });

  test('is not recorded for a deleted key, which stays deleted', async () => {
    const { companyId, keys } = await onboard(world.store, { keys: 2 });
    const [caller, victim] = keys as [(typeof keys)[number], (typeof keys)[number]];
    const record = await findApiKey(world.store, companyId, victim.keyId);
    await deleteApiKey(world.store, actOf(companyId, caller), victim.keyId);
    expect(await recordKeyUse(world.store, record as NonNullable<typeof record>, startMs)).toBe(false);
    expect(await findApiKey(world.store, companyId, victim.keyId)).toBeUndefined();
  });
});

test('keys and slots are read strongly consistent: a key that was just deleted is not found', async () => {
  for (const read of [
    () => findApiKey(world.store, 'acme', 'k1'),
    () => listApiKeys(world.store, 'acme', 10),
    () => readTakenSlots(world.store, 'acme', startMs),
  ])
    expect(await consistencyOf(read)).toEqual([true]);
});

describe('key notices', () => {
  test('a notice that is already stored is not stored again', async () => {
    const { companyId } = await onboard(world.store);
    const slot = at(await readTakenSlots(world.store, companyId, startMs), 0);
    const companies = [{ keys: [{ ...slot, companyId }], registered: [] }];
    const dueMs = slot.expiresAtMs - 30 * 86_400_000;
    expect(await putDueNotices(world.store, companies, dueMs)).toBe(1);
    expect(await putDueNotices(world.store, companies, dueMs + 1)).toBe(0);
  });
});
