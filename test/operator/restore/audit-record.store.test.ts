import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { auditPut } from '../../../lambdas/data/audit.ts';
import { applyGrant } from '../../../lambdas/data/contracts/grants.ts';
import { withdrawConsent } from '../../../lambdas/data/contracts/owner-decisions.ts';
import type { Store } from '../../../lambdas/data/store/store.ts';
import { transact } from '../../../lambdas/data/store/writes.ts';
import { setGrants } from '../../../operator/companies/grants.ts';
import { readAuditRecord } from '../../../operator/restore/audit-record.ts';
import { operatorActOn } from '../../support/store.ts';
import { onboard, openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const hourMs = 3_600_000;

const recordOf = (companyId: string) =>
  readAuditRecord(world.store, [world.store.tableName('AuditLog')], companyId, startMs);

/** The audit context of an event that is recorded at that time. */
const eventOf = (companyId: string, factMs: number, recordedAtMs: number) => ({
  ...operatorActOn(companyId, factMs),
  recordedAtMs,
});

test('the audit record includes changes by events recorded since a second, regardless of the times of their facts', async () => {
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
  expect(record.since).not.toEqual([]);
  expect(record).toMatchObject({
    grants: new Map([[userId, new Map([['gw-1', { isGranted: false, atMs: event.nowMs }]])]]),
  });
});

test('the audit record has the last change of a gateway by its time, even if an older one was recorded later', async () => {
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
  });
});

test('a row that AuditLog has and the restored one lacks is from since the second, whenever its command began', async () => {
  const companyId = randomUUID();
  const [own, then] = [world.store.tableName('AuditLog'), 'an-empty-table'];
  const send = async (command: { input: { TableName: string } }) =>
    command.input.TableName === then ? { Items: [] } : world.store.send(command as never);
  const store = { ...world.store, send: send as Store['send'] };
  const auditAt = async (operation: string, atMs: number) =>
    transact(world.store, { audit: auditPut(world.store, { ...operatorActOn(companyId, atMs), operation }, {}) });
  await auditAt('company set', startMs - 30_000);
  await auditAt('company suspend', startMs + 1000);
  const sinceOf = async (tables: Parameters<typeof readAuditRecord>[1]) =>
    (await readAuditRecord(store, tables, companyId, startMs)).since.map(({ operation }) => operation);
  expect(await sinceOf([own])).toEqual(['company suspend']);
  expect(await sinceOf([own, then])).toEqual(['company set', 'company suspend']);
  expect(await sinceOf([own, own])).toEqual(['company suspend']);
});
