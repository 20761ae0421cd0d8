import { beforeAll, describe, expect, test } from 'vitest';
import { deleteApiKey } from '../../../lambdas/data/api-keys/api-key-deletion.ts';
import { keyItemKey } from '../../../lambdas/data/api-keys/api-keys.ts';
import { contractKey, findContract } from '../../../lambdas/data/contracts/contracts.ts';
import { applyGrant, ownersKey, toOwners } from '../../../lambdas/data/contracts/grants.ts';
import { deleteWebhook } from '../../../lambdas/data/webhooks/webhook-changes.ts';
import { toWebhookItem } from '../../../lambdas/data/webhooks/webhooks.ts';
import { generateKey } from '../../../lambdas/domain/api-key.ts';
import { entriesOf } from '../../../lambdas/domain/by-id.ts';
import { setGrants } from '../../../operator/companies/grants.ts';
import { issueApiKey } from '../../../operator/companies/key-issue.ts';
import { applyRevocations, compareWithRecord, differencesIn } from '../../../operator/restore/reconciliation.ts';
import type { Item } from '../../../operator/restore/row-copy.ts';
import { registerWebhook } from '../../support/call.ts';
import { operate } from '../../support/operator.ts';
import { copyOne, findRow, loseRow, putRow } from '../../support/restore.ts';
import { operatorActOn } from '../../support/store.ts';
import { onboard, openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const [second, hour] = [1000, 3_600_000];

/** A company with an owner, and the rows of a gateway that its owner grants and revokes. Times count from the restored second. */
const openScene = async () => {
  const { companyId, company, contract } = await onboard(world.store);
  const { userId } = contract;
  const gatewayId = `gw-of-${companyId}`;
  const actAt = (at: number) => operatorActOn(companyId, startMs + at);
  const rows = { Contracts: contractKey(contract), Appliances: ownersKey(companyId, gatewayId) } as const;
  return {
    gatewayId,
    /** An event of the portal. */
    tells: (at: number, isGranted: boolean, owner = userId) =>
      applyGrant(world.store, actAt(at), { gatewayId, isGranted, userId: owner }),
    operates: (at: number, isGranted: boolean) =>
      setGrants(world.store, { ...actAt(at), operator: 'somebody' }, { userId, gatewayIds: [gatewayId], isGranted }),
    /** Returns a function that puts back the rows as they are now. */
    keep: async (...tables: (keyof typeof rows)[]) => {
      const kept = await Promise.all(tables.map(async (table) => [table, await findRow(table, rows[table])] as const));
      return () => Promise.all(kept.map(([table, row]) => putRow(table, row as Item)));
    },
    granters: async () =>
      entriesOf(toOwners(await findRow('Appliances', rows.Appliances))).flatMap(([id, known]) =>
        known.isGranted ? [id] : [],
      ),
    gateways: async () => Object.keys((await findContract(world.store, contract))?.gateways ?? {}),
    reconcile: async () => {
      const found = await compareWithRecord(world.store, company, startMs, false);
      await applyRevocations(world.store, { ...actAt(hour), operation: 'restore reconcile' }, found);
      return differencesIn(found);
    },
  };
};

type Scene = Awaited<ReturnType<typeof openScene>>;

describe('one reconciliation revokes a gateway again', () => {
  test.each<[string, (scene: Scene) => Promise<unknown>]>([
    ['an operator', ({ operates }) => operates(5 * second, false)],
    ['its owner', ({ tells }) => tells(5 * second, false)],
  ])('that an operator granted, and %s revoked within a minute', async (_, revoke) => {
    const scene = await openScene();
    await scene.operates(1 * second, true);
    const putBack = await scene.keep('Contracts', 'Appliances');
    await revoke(scene);
    await putBack();
    expect((await scene.reconcile()).length).toBe(1);
    expect(await scene.gateways()).toEqual([]);
    expect(await scene.reconcile()).toEqual([]);
  });
});

test('refuses earlier grants once, if the contract has lost a gateway whose own row has a former grant', async () => {
  const scene = await openScene();
  const loseGateway = await scene.keep('Contracts');
  await scene.tells(-5 * second, true);
  const putBack = await scene.keep('Appliances');
  await scene.tells(5 * second, true);
  await loseGateway();
  await putBack();
  const refused = { what: `earlier grants of gateway ${scene.gatewayId}`, before: null, after: 'refused' };
  expect(await scene.reconcile()).toEqual([refused]);
  expect(await scene.reconcile()).toEqual([]);
  expect(await scene.tells(4 * second, true, 'another')).toEqual({ outcome: 'stale' });
});

test('a gateway keeps its one owner, even if the contract of a former owner covers it again', async () => {
  const scene = await openScene();
  await scene.tells(-3 * hour, true);
  const putBack = await scene.keep('Contracts');
  await scene.tells(-2 * hour, true, 'another');
  await putBack();
  expect(await scene.reconcile()).toEqual([]);
  expect(await scene.granters()).toEqual(['another']);
});

/** An operator acts with a clock that is ahead, so that the row of the deletion has an earlier time. */
const [aheadMs, deletedMs] = [startMs + 40 * second, startMs + 20 * second];

test('a key stays deleted if an operator whose clock is ahead issued it', async () => {
  const { companyId, company } = await onboard(world.store);
  const act = { ...operatorActOn(companyId, aheadMs), operation: 'key issue' };
  const key = generateKey(companyId, aheadMs);
  expect((await issueApiKey(world.store, act, key)).outcome).toBe('issued');
  const row = (await findRow('ApiKeys', keyItemKey(key))) as Item;
  const deletion = { ...operatorActOn(companyId, deletedMs), operation: 'deleteApiKey' };
  expect((await deleteApiKey(world.store, deletion, key.keyId)).outcome).toBe('deleted');
  expect(await copyOne('ApiKeys', row)).toBe('deleted according to AuditLog');
  expect((await compareWithRecord(world.store, company, startMs, false)).given).toEqual([]);
});

test('a webhook stays deleted if an operator whose clock is ahead changed it', async () => {
  const webhook = await registerWebhook(world.store, (await onboard(world.store)).companyId);
  const { companyId, webhookId } = webhook;
  const disable = ['webhook', 'disable', companyId, webhookId, '--reason', 'to see'];
  expect((await operate(disable, { ...world, nowMs: aheadMs })).exit).toBe('ok');
  const deletion = { ...operatorActOn(companyId, deletedMs), operation: 'deleteWebhook' };
  expect((await deleteWebhook(world.store, deletion, webhookId)).outcome).toBe('deleted');
  expect(await copyOne('Webhooks', toWebhookItem(webhook))).toBe('deleted according to AuditLog');
});

test('a company stays suspended, even if the clock of an operator who resumed it before is ahead', async () => {
  const { companyId, company } = await onboard(world.store, { state: 'suspended' });
  const act = (verb: string, nowMs: number, serviceMs: number) =>
    operate(['company', verb, companyId, '--reason', 'ticket 9'], {
      ...world,
      nowMs,
      connection: { readStoreTimeMs: async () => serviceMs },
    });
  expect((await act('resume', aheadMs, startMs + 10 * second)).exit).toBe('ok');
  expect((await act('suspend', deletedMs, deletedMs)).exit).toBe('ok');
  await loseRow('Companies', { companyId });
  expect(await copyOne('Companies', { ...company, state: 'active' })).toBe('copied');
  expect((await findRow('Companies', { companyId }))?.state).toBe('suspended');
});
