import { beforeAll, describe, expect, test } from 'vitest';
import { deleteApiKey } from '../../../lambdas/data/api-keys/api-key-deletion.ts';
import { keyItemKey, slotItemKey } from '../../../lambdas/data/api-keys/api-keys.ts';
import { generateKey } from '../../../lambdas/domain/api-key.ts';
import { issueApiKey } from '../../../operator/companies/key-issue.ts';
import { compareWithRecord } from '../../../operator/restore/reconciliation.ts';
import type { Item } from '../../../operator/restore/row-copy.ts';
import { changedConcurrently, copyOne, findRow, loseRow, putRow } from '../../support/restore.ts';
import { operatorActOn } from '../../support/store.ts';
import { onboard, openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

/** A company with one key, and the two rows of the key. */
const companyWithKey = async () => {
  const { companyId, key } = await onboard(world.store);
  const row = (await findRow('ApiKeys', keyItemKey(key))) as Item;
  const slot = (await findRow('ApiKeys', slotItemKey(companyId, Number(row.slot)))) as Item;
  return { companyId, row, slot };
};

describe('a lost key', () => {
  test.each<[string, (slot: Item) => Promise<unknown>]>([
    ['with its slot still its own', async () => undefined],
    ['with its slot lost too', (slot) => loseRow('ApiKeys', slot)],
    [
      'with its slot taken by a key that expires at exactly this time',
      (slot) => putRow('ApiKeys', { ...slot, keyId: 'another', expiresAtMs: startMs }),
    ],
  ])('is restored to its slot: %s', async (_, prepare) => {
    const { row, slot } = await companyWithKey();
    await loseRow('ApiKeys', row);
    await prepare(slot);
    expect(await copyOne('ApiKeys', row)).toBe('copied');
    expect([await findRow('ApiKeys', row), await findRow('ApiKeys', slot)]).toEqual([row, slot]);
  });

  test('is not restored if another key takes its slot concurrently and keeps it', async () => {
    const { row, slot } = await companyWithKey();
    await loseRow('ApiKeys', row);
    await loseRow('ApiKeys', slot);
    const taken = { ...slot, keyId: 'another' };
    expect(await copyOne('ApiKeys', row, { meanwhile: () => putRow('ApiKeys', taken) })).toBe(changedConcurrently);
    expect([await findRow('ApiKeys', row), await findRow('ApiKeys', slot)]).toEqual([undefined, taken]);
  });

  test('is not overwritten if another run restores it concurrently', async () => {
    const { row } = await companyWithKey();
    await loseRow('ApiKeys', row);
    const used = { ...row, lastUsedOn: '2036-03-10' };
    expect(await copyOne('ApiKeys', row, { meanwhile: () => putRow('ApiKeys', used) })).toBe(changedConcurrently);
    expect(await findRow('ApiKeys', row)).toEqual(used);
  });

  test.each([
    ['valid', startMs],
    ['expired', Date.parse('2100-01-01T00:00:00Z')],
  ])('stays deleted if another run restores it and its company then deletes it: %s', async (_, nowMs) => {
    const { companyId, row } = await companyWithKey();
    await loseRow('ApiKeys', row);
    const copyAndDelete = async () => {
      await putRow('ApiKeys', row);
      await deleteApiKey(world.store, operatorActOn(companyId), String(row.keyId));
    };
    expect(await copyOne('ApiKeys', row, { meanwhile: copyAndDelete, nowMs })).toBe(changedConcurrently);
    expect(await findRow('ApiKeys', row)).toBeUndefined();
  });
});

describe('the lost slot of a key', () => {
  test('is restored', async () => {
    const { slot } = await companyWithKey();
    await loseRow('ApiKeys', slot);
    expect(await copyOne('ApiKeys', slot)).toBe('copied');
    expect(await findRow('ApiKeys', slot)).toEqual(slot);
  });

  test('stays free if the key is deleted concurrently', async () => {
    const { companyId, row, slot } = await companyWithKey();
    await loseRow('ApiKeys', slot);
    const remove = () => deleteApiKey(world.store, operatorActOn(companyId), String(row.keyId));
    expect(await copyOne('ApiKeys', slot, { meanwhile: remove })).toBe(changedConcurrently);
    expect(await findRow('ApiKeys', slot)).toBeUndefined();
  });
});

test('a key stays deleted if an operator whose clock is ahead issued it', async () => {
  const { companyId, company } = await onboard(world.store);
  const [aheadMs, deletedMs] = [startMs + 40_000, startMs + 20_000];
  const act = { ...operatorActOn(companyId, aheadMs), operation: 'key issue' };
  const key = generateKey(companyId, aheadMs);
  expect((await issueApiKey(world.store, act, key)).outcome).toBe('issued');
  const row = (await findRow('ApiKeys', keyItemKey(key))) as Item;
  const deletion = { ...operatorActOn(companyId, deletedMs), operation: 'deleteApiKey' };
  expect((await deleteApiKey(world.store, deletion, key.keyId)).outcome).toBe('deleted');
  expect(await copyOne('ApiKeys', row)).toBe('deleted according to AuditLog');
  expect((await compareWithRecord(world.store, company, startMs, false)).given).toEqual([]);
});
