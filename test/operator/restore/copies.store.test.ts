import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { deleteApiKey } from '../../../lambdas/data/api-keys/api-key-deletion.ts';
import { keyItemKey, slotItemKey } from '../../../lambdas/data/api-keys/api-keys.ts';
import { toContractItem, unopenedContract } from '../../../lambdas/data/contracts/contracts.ts';
import { applyGrant, ownersKey } from '../../../lambdas/data/contracts/grants.ts';
import { withdrawConsent } from '../../../lambdas/data/contracts/owner-decisions.ts';
import { setGrants } from '../../../operator/companies/grants.ts';
import { readAuditRecord } from '../../../operator/restore/audit-record.ts';
import type { Item } from '../../../operator/restore/row-copy.ts';
import { type CopiedTable, copiedTables, copyTable } from '../../../operator/restore/table-copy.ts';
import { installGrantedGateway } from '../../support/appliance.ts';
import { registerWebhook } from '../../support/call.ts';
import { copyOne, copyTools, findRow, leftMeanwhile, loseRow, putRow } from '../../support/restore.ts';
import { consistencyOf, operatorActOn } from '../../support/store.ts';
import { onboard, openWorld, partiesOf, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

/** A company with one key, and the two rows of that key. */
const companyWithKey = async () => {
  const { companyId, key } = await onboard(world.store);
  const row = (await findRow('ApiKeys', keyItemKey(key))) as Item;
  const slot = (await findRow('ApiKeys', slotItemKey(companyId, Number(row.slot)))) as Item;
  return { companyId, row, slot };
};

describe('a key that was changed off the record', () => {
  let row: Item;
  beforeAll(async () => {
    ({ row } = await companyWithKey());
  });

  const rehashed = { hash: new Uint8Array(32) };
  const expiring = { expiresAtMs: startMs + 1 };

  test('is put right, but for the day of its last use', async () => {
    const spoiled = { ...row, ...rehashed, lastUsedOn: '2036-03-10' };
    await putRow('ApiKeys', spoiled);
    expect(await copyOne('ApiKeys', row, { own: spoiled })).toBe('copied');
    expect(await findRow('ApiKeys', row)).toEqual({ ...row, lastUsedOn: '2036-03-10' });
  });

  test.each([
    [expiring, rehashed],
    [expiring, { slot: 10 }],
    [expiring, { createdAtMs: 1 }],
    [expiring, { createdByKeyId: 'k9' }],
    [expiring, { keyId: 'k9' }],
    [rehashed, { expiresAtMs: startMs + 2 }],
    [rehashed, { lastUsedOn: '2036-03-10' }],
    [rehashed, 'deleted'],
  ])('is left as it is if it changes again at the same moment: %j, then %j', async (spoiling, change) => {
    const spoiled = { ...row, ...spoiling };
    await putRow('ApiKeys', spoiled);
    const changed = typeof change === 'object' ? { ...spoiled, ...change } : undefined;
    const meanwhile = () => (changed ? putRow('ApiKeys', changed) : loseRow('ApiKeys', row));
    expect(await copyOne('ApiKeys', row, { own: spoiled, meanwhile })).toBe(leftMeanwhile);
    expect(await findRow('ApiKeys', row)).toEqual(changed);
  });
});

describe('a lost key', () => {
  test.each<[string, (slot: Item) => Promise<unknown>]>([
    ['its slot still in its hands', async () => undefined],
    ['its slot lost with it', (slot) => loseRow('ApiKeys', slot)],
    [
      'its slot in the hands of one that runs out at that very moment',
      (slot) => putRow('ApiKeys', { ...slot, keyId: 'another', expiresAtMs: startMs }),
    ],
  ])('comes back into its slot: %s', async (_, prepare) => {
    const { row, slot } = await companyWithKey();
    await loseRow('ApiKeys', row);
    await prepare(slot);
    expect(await copyOne('ApiKeys', row)).toBe('copied');
    expect([await findRow('ApiKeys', row), await findRow('ApiKeys', slot)]).toEqual([row, slot]);
  });

  test('whose slot another takes at the same moment is left, and the slot stays with the other', async () => {
    const { row, slot } = await companyWithKey();
    await loseRow('ApiKeys', row);
    await loseRow('ApiKeys', slot);
    const taken = { ...slot, keyId: 'another' };
    expect(await copyOne('ApiKeys', row, { meanwhile: () => putRow('ApiKeys', taken) })).toBe(leftMeanwhile);
    expect([await findRow('ApiKeys', row), await findRow('ApiKeys', slot)]).toEqual([undefined, taken]);
  });

  test('that another brings back at the same moment stays as the other left it', async () => {
    const { row } = await companyWithKey();
    await loseRow('ApiKeys', row);
    const used = { ...row, lastUsedOn: '2036-03-10' };
    expect(await copyOne('ApiKeys', row, { meanwhile: () => putRow('ApiKeys', used) })).toBe(leftMeanwhile);
    expect(await findRow('ApiKeys', row)).toEqual(used);
  });

  test.each([
    ['valid', startMs],
    ['expired', Date.parse('2100-01-01T00:00:00Z')],
  ])('that another brings back and its company deletes at the same moment stays deleted: %s', async (_, nowMs) => {
    const { companyId, row } = await companyWithKey();
    await loseRow('ApiKeys', row);
    const copyAndDelete = async () => {
      await putRow('ApiKeys', row);
      await deleteApiKey(world.store, operatorActOn(companyId), String(row.keyId));
    };
    expect(await copyOne('ApiKeys', row, { meanwhile: copyAndDelete, nowMs })).toBe(leftMeanwhile);
    expect(await findRow('ApiKeys', row)).toBeUndefined();
  });
});

describe('the lost slot of a key', () => {
  test('comes back', async () => {
    const { slot } = await companyWithKey();
    await loseRow('ApiKeys', slot);
    expect(await copyOne('ApiKeys', slot)).toBe('copied');
    expect(await findRow('ApiKeys', slot)).toEqual(slot);
  });

  test('stays free if the key is deleted at the same moment', async () => {
    const { companyId, row, slot } = await companyWithKey();
    await loseRow('ApiKeys', slot);
    const remove = () => deleteApiKey(world.store, operatorActOn(companyId), String(row.keyId));
    expect(await copyOne('ApiKeys', slot, { meanwhile: remove })).toBe(leftMeanwhile);
    expect(await findRow('ApiKeys', slot)).toBeUndefined();
  });
});

/** An id of nothing else that is in the tables. */
const newId = () => randomUUID().slice(0, 8);

const newContractRow = (): Item => toContractItem({ ...unopenedContract(partiesOf(newId())), state: 'active' });

test.each<[string, CopiedTable, () => Item, Item]>([
  ['company', 'Companies', () => ({ companyId: newId(), name: 'One', allowedCidrs: [] }), { name: 'Another' }],
  ['contract', 'Contracts', () => newContractRow(), { state: 'ended' }],
  ['owner of a gateway', 'Appliances', () => ({ ...ownersKey(newId(), 'gw-1'), owners: {} }), { owners: { one: {} } }],
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
  expect(await copyOne(table, row)).toBe('copied');
  expect(await findRow(table, row)).toEqual(row);
  await loseRow(table, row);
  const there = { ...row, ...written };
  expect(await copyOne(table, row, { meanwhile: () => putRow(table, there) })).toBe(leftMeanwhile);
  expect(await findRow(table, row)).toEqual(there);
});

test('the stage’s own rows and what is on record are read strongly consistent before a copy', async () => {
  // In tables with few rows the restored one is scanned once.
  await world.takeNewTables();
  const { companyId } = await onboard(world.store);
  await installGrantedGateway(world.store, companyId);
  await registerWebhook(world.store, companyId);
  for (const table of copiedTables) {
    const restored = { [table]: world.store.tableName(table), AuditLog: world.store.tableName('AuditLog') };
    const run = { ...copyTools(), restored, toMs: startMs, isPlan: true };
    const [, ...reads] = await consistencyOf(() => copyTable(run, table));
    expect(reads.length).toBeGreaterThan(0);
    expect(reads).not.toContain(false);
  }
  expect(await consistencyOf(() => copyTools().records.of(companyId))).toEqual([true]);
});

describe('audit record', () => {
  const hourMs = 3_600_000;

  const recordOf = (companyId: string) =>
    readAuditRecord(world.store, [world.store.tableName('AuditLog')], companyId, startMs);

  /** The context of an event of a fact that is put on record then. */
  const eventOf = (companyId: string, factMs: number, recordedAtMs: number) => ({
    ...operatorActOn(companyId, factMs),
    recordedAtMs,
  });

  test('what events have changed since a second is on record, however long before it their facts were', async () => {
    const { companyId, contract } = await onboard(world.store, { acceptedAtMs: startMs - 900 * hourMs });
    const { userId } = contract;
    const event = { ...eventOf(companyId, startMs - 600 * hourMs, startMs + hourMs), userId };
    expect(await withdrawConsent(world.store, event, { userId })).toEqual({ outcome: 'applied' });
    await applyGrant(world.store, event, { gatewayId: 'gw-1', isGranted: false, userId });
    const record = await recordOf(companyId);
    expect(record.contracts.get(userId)).toMatchObject({
      acceptedConsentVersion: null,
      consentChangedAtMs: event.nowMs,
    });
    expect(record).toMatchObject({
      isLater: true,
      grants: new Map([[userId, new Map([['gw-1', { isGranted: false, atMs: event.nowMs }]])]]),
    });
  });

  test('of a gateway the last change by time counts, also where an older one was put on record after it', async () => {
    const { companyId, contract } = await onboard(world.store);
    // The command began then, and waited for a person to confirm it.
    const revocation = operatorActOn(companyId, startMs + 1000);
    const added = { gatewayId: 'gw-1', isGranted: true, userId: contract.userId };
    expect(await applyGrant(world.store, eventOf(companyId, startMs + 500, startMs + 2000), added)).toEqual({
      outcome: 'applied',
    });
    expect(await setGrants(world.store, revocation, contract.userId, ['gw-1'], false)).toMatchObject({
      outcome: 'done',
    });
    const { grants } = await recordOf(companyId);
    expect(grants.get(contract.userId)?.get('gw-1')).toEqual({ isGranted: false, atMs: revocation.nowMs });
  });
});
