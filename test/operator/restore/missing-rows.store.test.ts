import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { toContractItem, unopenedContract } from '../../../lambdas/data/contracts/contracts.ts';
import { ownersKey } from '../../../lambdas/data/contracts/grants.ts';
import type { Item } from '../../../operator/restore/row-copy.ts';
import { copiedTables, copyMissing } from '../../../operator/restore/table-copy.ts';
import { installGrantedGateway } from '../../support/appliance.ts';
import { registerWebhook } from '../../support/call.ts';
import { changedConcurrently, copyOne, copyTools, findRow, loseRow, putRow } from '../../support/restore.ts';
import { consistencyOf } from '../../support/store.ts';
import { onboard, openWorld, partiesOf, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

/** An id that no other item in the tables has. */
const newId = () => randomUUID().slice(0, 8);

const newContractRow = (): Item => toContractItem({ ...unopenedContract(partiesOf(newId())), state: 'active' });

test.each<[string, (typeof copiedTables)[number], () => Item, Item]>([
  ['company', 'Companies', () => ({ companyId: newId(), name: 'One', allowedCidrs: [] }), { name: 'Another' }],
  ['contract', 'Contracts', () => newContractRow(), { state: 'ended' }],
  [
    'owner of a gateway',
    'Appliances',
    () => ({ ...ownersKey(newId(), 'gw-1'), owners: { one: {} } }),
    { owners: { two: {} } },
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
    const [, ...reads] = await consistencyOf(() => copyMissing(run, table));
    expect(reads.length).toBeGreaterThan(0);
    expect(reads).not.toContain(false);
  }
  expect(await consistencyOf(() => copyTools().records.of(companyId))).toEqual([true]);
});
