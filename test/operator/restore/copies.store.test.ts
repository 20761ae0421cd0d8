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
import { changedConcurrently, copyOne, copyTools, findRow, loseRow, putRow } from '../../support/restore.ts';
import { consistencyOf, operatorActOn } from '../../support/store.ts';
import { onboard, openWorld, partiesOf, startMs } from '../../support/world.ts';

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

describe('a key that was changed without an audit row', () => {
  let row: Item;
  beforeAll(async () => {
    ({ row } = await companyWithKey());
  });

  const rehashed = { hash: new Uint8Array(32) };
  const expiring = { expiresAtMs: startMs + 1 };

  test('is corrected, except for the day of its last use', async () => {
    const spoiled = { ...row, ...rehashed, lastUsedOn: '2036-03-10' };
    await putRow('ApiKeys', spoiled);
    expect(await copyOne('ApiKeys', row, { own: spoiled })).toBe('copied');
    expect(await findRow('ApiKeys', row)).toEqual({ ...row, lastUsedOn: '2036-03-10' });
  });

  test.each(['slot', 'lastUsedOn'])('is corrected in one run if it has lost its %s', async (name) => {
    const { [name]: _, ...spoiled } = row;
    await putRow('ApiKeys', spoiled);
    expect(await copyOne('ApiKeys', row, { own: spoiled })).toBe('copied');
    const own = await findRow('ApiKeys', row);
    expect([own, await copyOne('ApiKeys', row, { own })]).toEqual([row, 'same']);
  });

  test.each([
    [expiring, rehashed],
    [expiring, { slot: 10 }],
    [expiring, { createdAtMs: 1 }],
    [expiring, { createdByKeyId: 'k9' }],
    [expiring, { label: 'Renamed' }],
    [expiring, { access: 'read' }],
    [expiring, { allowedCidrs: ['192.0.2.1/32'] }],
    [expiring, { keyId: 'k9' }],
    [rehashed, { expiresAtMs: startMs + 2 }],
    [rehashed, { lastUsedOn: '2036-03-10' }],
    [rehashed, 'deleted'],
  ])('is not overwritten if it changes concurrently: %j, then %j', async (spoiling, change) => {
    const spoiled = { ...row, ...spoiling };
    await putRow('ApiKeys', spoiled);
    const changed = typeof change === 'object' ? { ...spoiled, ...change } : undefined;
    const meanwhile = () => (changed ? putRow('ApiKeys', changed) : loseRow('ApiKeys', row));
    expect(await copyOne('ApiKeys', row, { own: spoiled, meanwhile })).toBe(changedConcurrently);
    expect(await findRow('ApiKeys', row)).toEqual(changed);
  });
});

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

/** An id that no other item in the tables has. */
const newId = () => randomUUID().slice(0, 8);

const newContractRow = (): Item => toContractItem({ ...unopenedContract(partiesOf(newId())), state: 'active' });

test.each<[string, CopiedTable, () => Item, Item]>([
  ['company', 'Companies', () => ({ companyId: newId(), name: 'One', allowedCidrs: [] }), { name: 'Another' }],
  ['contract', 'Contracts', () => newContractRow(), { state: 'ended' }],
  [
    'owner of a gateway',
    'Appliances',
    () => ({ ...ownersKey(newId(), 'gw-1'), owners: { one: {} } }),
    { owners: { two: {} } },
  ],
  [
    'appliance',
    'Appliances',
    () => ({ gatewayId: newId(), sk: 'GATEWAY', connectivity: 'online' }),
    { connectivity: 'offline' },
  ],
  ['audit row', 'AuditLog', () => ({ subject: newId(), sk: '2036-03-10T12:00:00.000Z#1' }), { operation: 'there' }],
  ['tombstone of a deleted key', 'AuditLog', () => ({ subject: newId(), sk: 'DELETED' }), { operation: 'there' }],
])('restores a lost %s, but does not overwrite a concurrent write', async (_, table, newRow, written) => {
  const row = newRow();
  expect(await copyOne(table, row)).toBe('copied');
  expect(await findRow(table, row)).toEqual(row);
  await loseRow(table, row);
  const there = { ...row, ...written };
  expect(await copyOne(table, row, { meanwhile: () => putRow(table, there) })).toBe(changedConcurrently);
  expect(await findRow(table, row)).toEqual(there);
});

test('reads the stage’s own rows and the audit log strongly consistently before a copy', async () => {
  // The restored table has few rows, so one scan reads all of them.
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

  /** The audit context of an event that is recorded at that time. */
  const eventOf = (companyId: string, factMs: number, recordedAtMs: number) => ({
    ...operatorActOn(companyId, factMs),
    recordedAtMs,
  });

  test('includes changes by events recorded since a second, regardless of the times of their facts', async () => {
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

  test('uses the last change of a gateway by its time, even if an older one was recorded later', async () => {
    const { companyId, contract } = await onboard(world.store);
    // The command began at that time, and waited for confirmation.
    const revocation = operatorActOn(companyId, startMs + 1000);
    const added = { gatewayId: 'gw-1', isGranted: true, userId: contract.userId };
    expect(await applyGrant(world.store, eventOf(companyId, startMs + 500, startMs + 2000), added)).toEqual({
      outcome: 'applied',
    });
    expect(
      await setGrants(world.store, revocation, { userId: contract.userId, gatewayIds: ['gw-1'], isGranted: false }),
    ).toMatchObject({
      outcome: 'done',
    });
    const { grants } = await recordOf(companyId);
    expect(grants.get(contract.userId)?.get('gw-1')).toEqual({
      isGranted: false,
      atMs: revocation.nowMs,
      grantClaimedAtMs: startMs + 500,
    });
  });
});
