import { beforeAll, describe, expect, test } from 'vitest';
import { contractKey, findContract, putContract } from '../../../lambdas/data/contracts/contracts.ts';
import { applyGrant, ownersKey, toOwners } from '../../../lambdas/data/contracts/grants.ts';
import { openContract } from '../../../lambdas/data/contracts/owner-decisions.ts';
import type { Contract } from '../../../lambdas/domain/contract.ts';
import { granterOf } from '../../../lambdas/domain/grant.ts';
import { setGrants } from '../../../operator/companies/grants.ts';
import { applyRevocations, compareWithRecord, differencesIn } from '../../../operator/restore/reconciliation.ts';
import type { Item } from '../../../operator/restore/row-copy.ts';
import { copyOne, findRow, loseRow, putRow } from '../../support/restore.ts';
import { operatorActOn } from '../../support/store.ts';
import { onboard, openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

let gateways = 0;
const [second, hour] = [1000, 3_600_000];

/** A gateway that the first owner granted five hours before the restored second, and the row that is restored. */
const openScene = async (isOpen = true) => {
  const { companyId, company } = await onboard(world.store);
  const gatewayId = `late${process.pid}g${gateways++}`;
  const key = ownersKey(companyId, gatewayId);
  const actAt = (at: number) => operatorActOn(companyId, startMs + at);
  const told = (userId: string, isGranted: boolean) => (at: number, arrivedAt?: number) =>
    applyGrant(
      world.store,
      { ...actAt(at), operation: `portal.installation.${isGranted ? 'added' : 'removed'}.v1` },
      { gatewayId, isGranted, userId, ...(arrivedAt !== undefined && { arrivedAtMs: startMs + arrivedAt }) },
    );
  const operates = (userId: string, isGranted: boolean) => (at: number) =>
    setGrants(world.store, { ...actAt(at), operator: 'somebody' }, { userId, gatewayIds: [gatewayId], isGranted });
  if (isOpen)
    for (const userId of ['first', 'second', 'third']) await openContract(world.store, actAt(-6 * hour), { userId });
  await told('first', true)(-5 * hour);
  const restored = { ...(await findRow('Appliances', key)) };
  return {
    gatewayId,
    grants: { first: told('first', true), second: told('second', true), third: told('third', true) },
    revokes: { first: told('first', false), third: told('third', false) },
    operatorGrants: operates('third', true),
    operatorRevokes: operates('third', false),
    lose: () => loseRow('Appliances', key),
    bringBack: () => putRow('Appliances', restored),
    granter: async () => granterOf(toOwners(await findRow('Appliances', key))),
    gatewaysOf: async (userId: string) => (await findContract(world.store, { companyId, userId }))?.gateways,
    loseGrant: async (userId: string) => {
      const contract = (await findContract(world.store, { companyId, userId })) as Contract;
      await putContract(world.store, { ...contract, gateways: {} });
    },
    contractRow: async () => (await findRow('Contracts', contractKey({ companyId, userId: 'first' }))) as Item,
    tells: {
      /** Arrives and is recorded at the second time. */
      first: (isGranted: boolean, at: number, arrivedAt: number) =>
        applyGrant(
          world.store,
          { ...actAt(at), recordedAtMs: startMs + arrivedAt },
          { gatewayId, isGranted, userId: 'first', arrivedAtMs: startMs + arrivedAt },
        ),
    },
    given: async () =>
      (await compareWithRecord(world.store, company, startMs, false)).given.map(({ command }) => command),
    reconcile: async () => {
      const found = await compareWithRecord(world.store, company, startMs, false);
      await applyRevocations(world.store, { ...actAt(100 * second), operation: 'restore reconcile' }, found);
      return differencesIn(found);
    },
  };
};

type Scene = Awaited<ReturnType<typeof openScene>>;

describe.each([
  ['lost', 'lose'],
  ['restored', 'bringBack'],
] as const)('a gateway whose row was %s', (_, spoil) => {
  test.each<[string, (scene: Scene) => Promise<unknown>, boolean]>([
    ['granted and revoked since', ({ grants, revokes }) => grants.third(7).then(() => revokes.third(9)), true],
    [
      'granted and revoked since, before any opening',
      ({ grants, revokes }) => grants.third(7).then(() => revokes.third(9)),
      false,
    ],
    [
      'granted since, after its revocation',
      ({ grants, revokes }) => revokes.third(9).then(() => grants.third(7)),
      true,
    ],
  ])('refuses a grant by another owner from before one that was %s', async (_, change, isOpen) => {
    const scene = await openScene(isOpen);
    await change(scene);
    await scene[spoil]();
    expect(await scene.reconcile()).not.toEqual([]);
    expect(await scene.reconcile()).toEqual([]);
    expect(await scene.grants.second(6)).toEqual({ outcome: 'stale' });
    expect((await scene.grants.second(8)).outcome).not.toBe('stale');
  });

  test('refuses one from a clock that is ahead, from before a grant by an operator', async () => {
    const scene = await openScene();
    await scene.grants.third(0);
    await scene.operatorRevokes(1 * second);
    await scene.operatorGrants(2 * second);
    await scene.operatorRevokes(3 * second);
    await scene[spoil]();
    await scene.reconcile();
    expect(await scene.grants.second(40 * second, 1 * second)).toEqual({ outcome: 'stale' });
    expect(await scene.reconcile()).toEqual([]);
  });

  test('is revoked again from an owner who has not opened the contract', async () => {
    const scene = await openScene(false);
    await scene.revokes.first(9);
    await scene[spoil]();
    await scene.reconcile();
    expect(await scene.grants.first(5)).toEqual({ outcome: 'noted' });
    expect([await scene.granter(), await scene.gatewaysOf('first')]).toEqual([undefined, {}]);
  });

  test('is covered by its last owner again, in one run with the revocation from the former one', async () => {
    const scene = await openScene();
    await scene.grants.third(7);
    await scene[spoil]();
    await scene.reconcile();
    expect(await scene.granter()).toBe('third');
    expect(await scene.reconcile()).toEqual([]);
  });

  test('refuses a grant from before one that the restored second lacks, and the command grants it again', async () => {
    const scene = await openScene();
    await scene.grants.third(7);
    await scene.loseGrant('third');
    await scene[spoil]();
    const differences = await scene.reconcile();
    const refused = { what: `earlier grants of gateway ${scene.gatewayId}`, before: null, after: 'refused' };
    expect(differences).toContainEqual(refused);
    expect([await scene.reconcile(), await scene.given()]).toEqual([
      [],
      [expect.stringMatching(/^gateway grant .* third$/)],
    ]);
    expect(await scene.grants.second(6)).toEqual({ outcome: 'stale' });
    expect(await scene.granter()).toBeUndefined();
    await scene.operatorGrants(200 * second);
    expect(await scene.granter()).toBe('third');
    expect([await scene.reconcile(), await scene.given()]).toEqual([[], []]);
  });
});

test('a grant by a fast clock that was revoked by a slower one is not restored', async () => {
  const scene = await openScene();
  const atThatSecond = await scene.contractRow();
  await scene.tells.first(true, 50 * second, 5 * second);
  await scene.tells.first(false, 30 * second, 30 * second);
  expect(await scene.granter()).toBeUndefined();
  expect(await copyOne('Contracts', atThatSecond, { own: await scene.contractRow() })).toBe('same');
  await scene.bringBack();
  await scene.reconcile();
  expect([await scene.granter(), await scene.gatewaysOf('first')]).toEqual([undefined, {}]);
  expect(await scene.reconcile()).toEqual([]);
});
