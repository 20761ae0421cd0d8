import { randomUUID } from 'node:crypto';
import { DeleteCommand, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import type { TableName } from '../../../lambdas/api/tables.ts';
import { deleteApiKey } from '../../../lambdas/data/api-keys/api-key-deletion.ts';
import { keyItemKey, slotItemKey } from '../../../lambdas/data/api-keys/api-keys.ts';
import { grantKey } from '../../../lambdas/data/contracts/contracts.ts';
import type { Store } from '../../../lambdas/data/store/store.ts';
import { recordsOf } from '../../../operator/restore/audit-record.ts';
import { type Item, keyOf } from '../../../operator/restore/row-copy.ts';
import { type CopiedTable, copiedTables, copyRows, copyTable } from '../../../operator/restore/table-copy.ts';
import { installGrantedGateway } from '../../support/appliance.ts';
import { registerWebhook } from '../../support/call.ts';
import { consistencyOf, operatorActOn, overtakenBy } from '../../support/store.ts';
import { onboard, openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const toolsWith = (store: Store, nowMs: number) => ({
  store,
  nowMs,
  stackName: 'PartnerApi-test',
  records: recordsOf(store, [store.tableName('AuditLog')], startMs),
  auditContext: async (subject: string) => operatorActOn(subject, nowMs),
});

/** Copies a row that was restored in the place of the stage's own, or where there is none; somebody may overtake. */
const copy = async (
  table: CopiedTable,
  restored: Item,
  own?: Item,
  meanwhile?: () => Promise<unknown>,
  nowMs = startMs,
) => {
  const store = meanwhile ? overtakenBy(world.store, meanwhile) : world.store;
  const [decision] = await copyRows(toolsWith(store, nowMs), table, [{ restored, own }], false);
  return decision;
};

const put = (table: TableName, row: Item) =>
  world.store.send(new PutCommand({ TableName: world.store.tableName(table), Item: row }));
const lose = (table: TableName, row: Item) =>
  world.store.send(new DeleteCommand({ TableName: world.store.tableName(table), Key: keyOf(table, row) }));
const find = async (table: TableName, row: Item): Promise<Item | undefined> =>
  (await world.store.send(new GetCommand({ TableName: world.store.tableName(table), Key: keyOf(table, row) }))).Item;

const leftMeanwhile = { kind: 'left', why: 'changed meanwhile; run again' };
const copied = { kind: 'copied' };

/** A company with one key, and the two rows of that key. */
const companyWithKey = async () => {
  const { companyId, key } = await onboard(world.store);
  const row = (await find('ApiKeys', keyItemKey(key))) as Item;
  const slot = (await find('ApiKeys', slotItemKey(companyId, Number(row.slot)))) as Item;
  return { companyId, row, slot };
};

describe('a key that was changed off the record', () => {
  test('is put right, but for the day of its last use', async () => {
    const { row } = await companyWithKey();
    const spoiled = { ...row, hash: new Uint8Array(32), lastUsedOn: '2036-03-10' };
    await put('ApiKeys', spoiled);
    expect(await copy('ApiKeys', row, spoiled)).toEqual(copied);
    expect(await find('ApiKeys', row)).toEqual({ ...row, lastUsedOn: '2036-03-10' });
  });

  test.each(Object.entries({ hash: new Uint8Array(32), slot: 10, createdAtMs: 1, createdByKeyId: 'k9', keyId: 'k9' }))(
    'is left as it is if its %s changes at the same moment',
    async (name, value) => {
      const { row } = await companyWithKey();
      const spoiled = { ...row, expiresAtMs: startMs + 1 };
      await put('ApiKeys', spoiled);
      const changed = { ...spoiled, [name]: value };
      expect(await copy('ApiKeys', row, spoiled, () => put('ApiKeys', changed))).toMatchObject(leftMeanwhile);
      expect(await find('ApiKeys', row)).toEqual(changed);
    },
  );

  test.each(Object.entries({ expiresAtMs: startMs + 2, lastUsedOn: '2036-03-10' }))(
    'is left as it is if its %s changes at the same moment, as long as it holds another hash',
    async (name, value) => {
      const { row } = await companyWithKey();
      const spoiled = { ...row, hash: new Uint8Array(32) };
      await put('ApiKeys', spoiled);
      const changed = { ...spoiled, [name]: value };
      expect(await copy('ApiKeys', row, spoiled, () => put('ApiKeys', changed))).toMatchObject(leftMeanwhile);
      expect(await find('ApiKeys', row)).toEqual(changed);
    },
  );
});

describe('a lost key', () => {
  test.each<[string, (slot: Item) => Promise<unknown>]>([
    ['its slot still in its hands', async () => undefined],
    ['its slot lost with it', (slot) => lose('ApiKeys', slot)],
    [
      'its slot in the hands of one that runs out at that very moment',
      (slot) => put('ApiKeys', { ...slot, keyId: 'another', expiresAtMs: startMs }),
    ],
  ])('comes back into its slot: %s', async (_, prepare) => {
    const { row, slot } = await companyWithKey();
    await lose('ApiKeys', row);
    await prepare(slot);
    expect(await copy('ApiKeys', row)).toEqual(copied);
    expect([await find('ApiKeys', row), await find('ApiKeys', slot)]).toEqual([row, slot]);
  });

  test('whose slot another takes at the same moment is left, and the slot stays with the other', async () => {
    const { row, slot } = await companyWithKey();
    await lose('ApiKeys', row);
    await lose('ApiKeys', slot);
    const taken = { ...slot, keyId: 'another' };
    expect(await copy('ApiKeys', row, undefined, () => put('ApiKeys', taken))).toMatchObject(leftMeanwhile);
    expect([await find('ApiKeys', row), await find('ApiKeys', slot)]).toEqual([undefined, taken]);
  });

  test('that another brings back at the same moment stays as the other left it', async () => {
    const { row } = await companyWithKey();
    await lose('ApiKeys', row);
    const used = { ...row, lastUsedOn: '2036-03-10' };
    expect(await copy('ApiKeys', row, undefined, () => put('ApiKeys', used))).toMatchObject(leftMeanwhile);
    expect(await find('ApiKeys', row)).toEqual(used);
  });

  test.each([
    ['valid', startMs],
    ['expired', Date.parse('2100-01-01T00:00:00Z')],
  ])('that another brings back and its company deletes at the same moment stays deleted: %s', async (_, nowMs) => {
    const { companyId, row } = await companyWithKey();
    await lose('ApiKeys', row);
    const copyAndDelete = async () => {
      await put('ApiKeys', row);
      await deleteApiKey(world.store, operatorActOn(companyId), String(row.keyId));
    };
    expect(await copy('ApiKeys', row, undefined, copyAndDelete, nowMs)).toMatchObject(leftMeanwhile);
    expect(await find('ApiKeys', row)).toBeUndefined();
  });
});

describe('the lost slot of a key', () => {
  test('comes back', async () => {
    const { slot } = await companyWithKey();
    await lose('ApiKeys', slot);
    expect(await copy('ApiKeys', slot)).toEqual(copied);
    expect(await find('ApiKeys', slot)).toEqual(slot);
  });

  test('stays free if the key is deleted at the same moment', async () => {
    const { companyId, row, slot } = await companyWithKey();
    await lose('ApiKeys', slot);
    const remove = () => deleteApiKey(world.store, operatorActOn(companyId), String(row.keyId));
    expect(await copy('ApiKeys', slot, undefined, remove)).toMatchObject(leftMeanwhile);
    expect(await find('ApiKeys', slot)).toBeUndefined();
  });
});

/** An id of nothing else that is in the tables. */
const newId = () => randomUUID().slice(0, 8);

test.each<[string, CopiedTable, () => Item, Item]>([
  ['gateway', 'Contracts', () => ({ ...grantKey(newId(), 'gw-1'), grantedAtMs: startMs }), { grantedAtMs: 0 }],
  [
    'appliance',
    'Appliances',
    () => ({ gatewayId: newId(), sk: 'GATEWAY', connectivity: 'online' }),
    { connectivity: 'offline' },
  ],
  ['audit row', 'AuditLog', () => ({ subject: newId(), sk: '2036-03-10T12:00:00.000Z#1' }), { operation: 'there' }],
  ['tombstone of a deleted key', 'AuditLog', () => ({ subject: newId(), sk: 'DELETED' }), { operation: 'there' }],
])('a lost %s comes back, but not over what somebody writes at the same moment', async (_, table, newRow, written) => {
  const row = newRow();
  expect(await copy(table, row)).toEqual(copied);
  expect(await find(table, row)).toEqual(row);
  await lose(table, row);
  const there = { ...row, ...written };
  expect(await copy(table, row, undefined, () => put(table, there))).toMatchObject(leftMeanwhile);
  expect(await find(table, row)).toEqual(there);
});

test('the stage’s own rows and what is on record are read strongly consistent before a copy', async () => {
  // In tables with few rows the restored one is scanned once.
  await world.takeNewTables();
  const { companyId } = await onboard(world.store);
  await installGrantedGateway(world.store, companyId);
  await registerWebhook(world.store, companyId);
  for (const table of copiedTables) {
    const restored = { [table]: world.store.tableName(table), AuditLog: world.store.tableName('AuditLog') };
    const run = { ...toolsWith(world.store, startMs), restored, toMs: startMs, isPlan: true };
    const [, ...reads] = await consistencyOf(() => copyTable(run, table));
    expect(reads.length).toBeGreaterThan(0);
    expect(reads).not.toContain(false);
  }
  expect(await consistencyOf(() => toolsWith(world.store, startMs).records.of(companyId))).toEqual([true]);
});
