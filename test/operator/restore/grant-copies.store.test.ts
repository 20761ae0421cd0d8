import { DeleteCommand, GetCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import type { TableName } from '../../../lambdas/api/tables.ts';
import { grantKey } from '../../../lambdas/data/contracts/contracts.ts';
import { applyGrant, grantGuardKey, reverseGrantKey } from '../../../lambdas/data/contracts/grants.ts';
import { recordsOf } from '../../../operator/restore/audit-record.ts';
import { type Item, keyOf } from '../../../operator/restore/row-copy.ts';
import { copyRows } from '../../../operator/restore/table-copy.ts';
import { operatorActOn, overtakenBy, readGrantRows } from '../../support/store.ts';
import { onboard, openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

type Table = 'Appliances' | 'Contracts';

/** Copies a row that is lost; somebody may overtake. */
const copy = async (table: Table, restored: Item, meanwhile?: () => Promise<unknown>) => {
  const store = meanwhile ? overtakenBy(world.store, meanwhile) : world.store;
  const records = recordsOf(store, [store.tableName('AuditLog')], startMs + 3_600_000);
  const auditContext = async (subject: string) => ({ ...operatorActOn(subject), operation: 'restore copy' });
  const tools = { store, nowMs: startMs, stackName: 'a-stack', records, auditContext };
  const [decision] = await copyRows(tools, table, [{ restored, own: undefined }], false);
  return decision?.kind;
};

const lose = (table: TableName, row: Item) =>
  world.store.send(new DeleteCommand({ TableName: world.store.tableName(table), Key: keyOf(table, row) }));

const read = async (table: TableName, Key: Item) =>
  (await world.store.send(new GetCommand({ TableName: world.store.tableName(table), Key }))).Item as Item;

let gateways = 0;

/** A granted gateway and its three rows, and what grants or revokes it later. */
const grantedGateway = async () => {
  const { companyId, contract } = await onboard(world.store);
  const gatewayId = `gw-${process.pid}x${gateways++}`;
  const change = (isGranted: boolean, nowMs: number) =>
    applyGrant(world.store, operatorActOn(companyId, nowMs), { gatewayId, isGranted, userId: contract.userId });
  await change(true, startMs);
  const grant = await read('Contracts', grantKey(companyId, gatewayId));
  const guard = await read('Contracts', grantGuardKey(companyId, gatewayId));
  const reverse = await read('Appliances', reverseGrantKey(companyId, gatewayId));
  return { grant, guard, reverse, change, rows: () => readGrantRows(world.store, companyId, gatewayId) };
};

const whole = { grantedAtMs: startMs, reverseAtMs: startMs, changedAtMs: startMs };

test('a lost grant comes back with its reverse row, and its guard row by itself', async () => {
  const { grant, guard, reverse, rows } = await grantedGateway();
  await lose('Contracts', grant);
  await lose('Contracts', guard);
  await lose('Appliances', reverse);
  expect(await copy('Contracts', grant)).toBe('copied');
  expect(await rows()).toEqual({ ...whole, changedAtMs: undefined });
  expect(await copy('Contracts', guard)).toBe('copied');
  expect(await rows()).toEqual(whole);
});

test('a lost grant comes back whose guard row was not lost', async () => {
  const { grant, rows } = await grantedGateway();
  await lose('Contracts', grant);
  expect(await copy('Contracts', grant)).toBe('copied');
  expect(await rows()).toEqual(whole);
});

test('a lost guard row that is written anew at the same moment stays as it was written', async () => {
  const { guard, change, rows } = await grantedGateway();
  await lose('Contracts', guard);
  expect(await copy('Contracts', guard, () => change(false, startMs + 1))).toBe('left');
  expect((await rows()).changedAtMs).toBe(startMs + 1);
});

describe('a lost grant stays away that was revoked', () => {
  test('at the same moment', async () => {
    const { grant, change, rows } = await grantedGateway();
    await lose('Contracts', grant);
    expect(await copy('Contracts', grant, () => change(false, startMs + 1))).toBe('left');
    expect((await rows()).grantedAtMs).toBeUndefined();
  });

  test('and that somebody else grants at the same moment stays as granted then', async () => {
    const { grant, guard, change, rows } = await grantedGateway();
    await lose('Contracts', grant);
    await lose('Contracts', guard);
    const grantAnew = async () => {
      await change(true, startMs + 1);
      await lose('Contracts', guard);
    };
    expect(await copy('Contracts', grant, grantAnew)).toBe('left');
    expect((await rows()).grantedAtMs).toBe(startMs + 1);
  });
});

describe('a lost reverse row', () => {
  test('comes back as long as there is its grant', async () => {
    const { reverse, rows } = await grantedGateway();
    await lose('Appliances', reverse);
    expect(await copy('Appliances', reverse)).toBe('copied');
    expect(await rows()).toEqual(whole);
  });

  test('of a grant that is gone does not', async () => {
    const { reverse, change, rows } = await grantedGateway();
    await change(false, startMs + 1);
    expect(await copy('Appliances', reverse)).toBe('same');
    expect((await rows()).reverseAtMs).toBeUndefined();
  });

  test('of a grant that goes at the same moment does not', async () => {
    const { reverse, change, rows } = await grantedGateway();
    await lose('Appliances', reverse);
    expect(await copy('Appliances', reverse, () => change(false, startMs + 1))).toBe('left');
    expect((await rows()).reverseAtMs).toBeUndefined();
  });

  test('that is there by now stays as it is', async () => {
    const { reverse } = await grantedGateway();
    expect(await copy('Appliances', reverse)).toBe('left');
  });
});
