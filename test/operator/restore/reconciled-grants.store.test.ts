import { beforeAll, describe, expect, test } from 'vitest';
import { contractKey, findContract, putContract } from '../../../lambdas/data/contracts/contracts.ts';
import { applyGrant, ownersKey, toOwners } from '../../../lambdas/data/contracts/grants.ts';
import type { Store } from '../../../lambdas/data/store/store.ts';
import { granterOf } from '../../../lambdas/domain/grant.ts';
import { setGrants } from '../../../operator/companies/grants.ts';
import { applyRevocations, compareWithRecord, differencesIn } from '../../../operator/restore/reconciliation.ts';
import type { Item } from '../../../operator/restore/row-copy.ts';
import { changedConcurrently, copyOne, findRow, loseRow, putRow } from '../../support/restore.ts';
import { consistencyOf, operatorActOn, overtakenBy, readAudit, readGrantTimes } from '../../support/store.ts';
import { onboard, openWorld, partiesOf, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const reconciledAtMs = startMs + 100_000;
let gateways = 0;

/** A gateway with events of the portal, whose rows since `startMs` are lost. */
const openScene = async (gatewayId = `gw-${process.pid}r${gateways++}`) => {
  const { companyId, company, contract } = await onboard(world.store);
  const ids = [companyId, gatewayId] as const;
  const { userId } = contract;
  const ownersRow = (at: number, isGranted: boolean) => {
    const atMs = startMs + at;
    return {
      ...ownersKey(...ids),
      owners: { [userId]: { isGranted, claimedAtMs: atMs, countsFromMs: atMs, receivedAtMs: atMs } },
    };
  };
  const applyGrantAt = (isGranted: boolean, at: number) =>
    applyGrant(world.store, operatorActOn(companyId, startMs + at), { gatewayId, isGranted, userId: contract.userId });
  return {
    companyId,
    company,
    gatewayId,
    applyGrantAt,
    /** The grant of another owner, which arrives now. */
    applyOtherGrantAt: (at: number) =>
      applyGrant(world.store, operatorActOn(companyId, startMs + at), {
        gatewayId,
        isGranted: true,
        userId: 'another',
      }),
    ownersRow,
    loseOwners: () => loseRow('Appliances', ownersKey(...ids)),
    bringBackOwners: (at: number, isGranted: boolean) => putRow('Appliances', ownersRow(at, isGranted)),
    bringBackGrant: async (at: number) => {
      const now = await findContract(world.store, partiesOf(companyId));
      const grant = { grantedAtMs: startMs + at, receivedAtMs: startMs + at };
      await putContract(world.store, { ...(now ?? contract), gateways: { [gatewayId]: grant } });
    },
    operates: (at: number, isGranted: boolean) => {
      const act = { ...operatorActOn(companyId, startMs + at), operator: 'somebody' };
      return setGrants(world.store, act, { userId, gatewayIds: [gatewayId], isGranted });
    },
    /** Returns a function that puts back the rows of contract and gateway as they are now. */
    keep: async () => {
      const kept = [
        ['Contracts', (await findRow('Contracts', contractKey(contract))) as Item],
        ['Appliances', (await findRow('Appliances', ownersKey(...ids))) as Item],
      ] as const;
      return () => Promise.all(kept.map(([table, row]) => putRow(table, row)));
    },
    given: async () =>
      (await compareWithRecord(world.store, company, startMs, false)).given.map(({ command }) => command),
    /** Corrects the differences and returns them. `meanwhile` runs before the writes, as a concurrent change. */
    reconcile: async (meanwhile?: () => Promise<unknown>) => {
      const found = await compareWithRecord(world.store, company, startMs, false);
      const store: Store = meanwhile ? overtakenBy(world.store, meanwhile) : world.store;
      const act = { ...operatorActOn(companyId, reconciledAtMs), operation: 'restore reconcile' };
      await applyRevocations(store, act, found);
      return differencesIn(found).map(({ what, before, after }) => [what, before, after]);
    },
    rows: async () => {
      const since = (ms: unknown) => (ms === undefined ? undefined : Number(ms) - startMs);
      const { grantedAtMs, ownerGrantedAtMs, changedAtMs } = await readGrantTimes(world.store, contract, gatewayId);
      return { granted: since(grantedAtMs), owner: since(ownerGrantedAtMs), changed: since(changedAtMs) };
    },
  };
};

const revokedAt = (at: number) => ({ granted: undefined, owner: undefined, changed: at });
const grantedAt = (at: number) => ({ granted: at, owner: at, changed: at });

describe('a gateway that was granted and revoked since, but whose partition has lost that', () => {
  test('refuses an older grant that arrives late again, and accepts a newer one', async () => {
    const { gatewayId, applyGrantAt, loseOwners, reconcile, rows } = await openScene();
    await applyGrantAt(true, 10);
    await applyGrantAt(false, 30);
    await loseOwners();
    expect(await reconcile()).toEqual([[`gateway ${gatewayId}`, null, 'revoked']]);
    expect(await rows()).toEqual(revokedAt(30));
    expect(await applyGrantAt(true, 20)).toEqual({ outcome: 'noted' });
    expect(await reconcile()).toEqual([]);
    // The event was sent before, and arrives only now.
    expect(await applyGrantAt(true, 40)).toEqual({ outcome: 'applied' });
    expect(await reconcile()).toEqual([]);
    expect(await rows()).toEqual(grantedAt(40));
  });

  test('does so too if the partition was restored to that second', async () => {
    const { applyGrantAt, loseOwners, reconcile, rows } = await openScene();
    await applyGrantAt(true, 10);
    await applyGrantAt(false, 30);
    await loseOwners();
    await applyGrantAt(false, -1000);
    await reconcile();
    expect(await rows()).toEqual(revokedAt(30));
  });

  test('is found by its id, even if that is the name of a property of every object', async () => {
    const { applyGrantAt, reconcile } = await openScene('constructor');
    await applyGrantAt(true, 10);
    await applyGrantAt(false, 30);
    expect(await reconcile()).toEqual([]);
  });

  test('keeps a newer change that arrives concurrently', async () => {
    const { applyGrantAt, loseOwners, reconcile, rows } = await openScene();
    await applyGrantAt(false, 30);
    await loseOwners();
    await expect(reconcile(() => applyGrantAt(true, 40))).rejects.toThrow('run again');
    expect(await rows()).toEqual(grantedAt(40));
  });
});

describe('a gateway whose revocation is in the audit log', () => {
  type Scene = Awaited<ReturnType<typeof openScene>>;
  test.each<[string, (scene: Scene) => Promise<unknown>]>([
    ['in the contract', ({ bringBackGrant }) => bringBackGrant(10)],
    ['in its own partition', ({ bringBackOwners }) => bringBackOwners(10, true)],
  ])('is revoked again if it is granted %s', async (_, bringBack) => {
    const scene = await openScene();
    await scene.applyGrantAt(true, 10);
    await scene.applyGrantAt(false, 30);
    await bringBack(scene);
    expect((await scene.reconcile()).length).toBe(1);
    expect(await scene.rows()).toEqual(revokedAt(30));
    expect(await readAudit(world.store, scene.companyId)).toContainEqual(
      expect.objectContaining({
        operation: 'restore reconcile',
        at: '2036-03-10T12:01:40Z',
        factAt: '2036-03-10T12:00:00.030Z',
        gatewayId: scene.gatewayId,
      }),
    );
  });

  test('is revoked from the former owner again if another owner has it since', async () => {
    const { applyGrantAt, applyOtherGrantAt, bringBackGrant, bringBackOwners, reconcile, rows } = await openScene();
    await applyGrantAt(true, -7_200_000);
    await applyOtherGrantAt(30);
    await bringBackGrant(-7_200_000);
    await bringBackOwners(-7_200_000, true);
    await reconcile();
    expect(await rows()).toEqual(revokedAt(30));
    expect(await reconcile()).toEqual([]);
  });

  test('still makes an earlier grant of another owner stale that arrives late', async () => {
    const { applyGrantAt, applyOtherGrantAt, bringBackOwners, reconcile } = await openScene();
    await applyGrantAt(true, 10);
    await applyGrantAt(false, 30);
    await bringBackOwners(10, true);
    await reconcile();
    expect(await applyOtherGrantAt(9)).toEqual({ outcome: 'stale' });
    expect(await applyOtherGrantAt(11)).toEqual({ outcome: 'applied' });
  });

  test('is revoked with the later time of its partition, which has no audit row', async () => {
    const { applyGrantAt, loseOwners, bringBackOwners, bringBackGrant, reconcile, rows } = await openScene();
    await applyGrantAt(true, 10);
    await applyGrantAt(false, 30);
    await loseOwners();
    await bringBackOwners(40, false);
    await bringBackGrant(10);
    await reconcile();
    expect(await rows()).toEqual(revokedAt(40));
  });

  test('is not revoked if both places have a later grant without an audit row', async () => {
    const { applyGrantAt, loseOwners, bringBackGrant, bringBackOwners, reconcile } = await openScene();
    await applyGrantAt(false, 30);
    await loseOwners();
    await bringBackGrant(40);
    await bringBackOwners(40, true);
    expect(await reconcile()).toEqual([]);
  });
});

test.each<[string, (scene: Awaited<ReturnType<typeof openScene>>) => Promise<unknown>]>([
  ['is lost', ({ loseOwners }) => loseOwners()],
  ['has an earlier grant', ({ bringBackOwners }) => bringBackOwners(-1000, true)],
])('a gateway whose own partition %s is listed, with the command that grants it again', async (_, spoil) => {
  const scene = await openScene();
  await scene.applyGrantAt(true, 10);
  expect(await scene.given()).toEqual([]);
  await spoil(scene);
  expect(await scene.reconcile()).toEqual([]);
  expect(await scene.given()).toEqual([
    `gateway grant ${scene.companyId} ${scene.gatewayId} --user ${partiesOf(scene.companyId).userId}`,
  ]);
});

test.each<[string, (scene: Awaited<ReturnType<typeof openScene>>) => Promise<unknown>]>([
  ['an operator', ({ operates }) => operates(5000, false)],
  ['its owner', ({ applyGrantAt }) => applyGrantAt(false, 5000)],
])('revokes a gateway in one run that an operator granted, and %s revoked within a minute', async (_, revoke) => {
  const scene = await openScene();
  await scene.operates(1000, true);
  const putBack = await scene.keep();
  await revoke(scene);
  await putBack();
  expect((await scene.reconcile()).length).toBe(1);
  expect((await scene.rows()).granted).toBeUndefined();
  expect(await scene.reconcile()).toEqual([]);
});

test('a gateway keeps its one owner, even if the contract of a former owner covers it again', async () => {
  const { companyId, gatewayId, applyGrantAt, applyOtherGrantAt, bringBackGrant, reconcile, given } = await openScene();
  await applyGrantAt(true, -3 * 3_600_000);
  await applyOtherGrantAt(-2 * 3_600_000);
  await bringBackGrant(-3 * 3_600_000);
  expect([await reconcile(), await given()]).toEqual([[], []]);
  expect(granterOf(toOwners(await findRow('Appliances', ownersKey(companyId, gatewayId))))).toBe('another');
});

test('reads everything that it compares strongly consistently', async () => {
  const { company, applyGrantAt } = await openScene();
  await applyGrantAt(true, 10);
  const reads = await consistencyOf(() => compareWithRecord(world.store, company, startMs, false));
  expect(reads.length).toBeGreaterThan(3);
  // An index lists the active and the ended contracts, and indexes have no consistent reads.
  expect(reads.filter((isConsistent) => !isConsistent)).toHaveLength(2);
});

describe('a gateway that was granted at the restored second', () => {
  const openGranted = async () => {
    const scene = await openScene();
    await scene.applyGrantAt(true, 0);
    const { ownersRow } = scene;
    return { scene, owners: ownersRow(0, true) };
  };

  test('gets back a lost row of its partition, unless a concurrent change has written it', async () => {
    const { scene, owners } = await openGranted();
    await scene.loseOwners();
    expect([await copyOne('Appliances', owners), await scene.rows()]).toEqual(['copied', grantedAt(0)]);
    await scene.loseOwners();
    const outcome = await copyOne('Appliances', owners, { meanwhile: () => scene.applyGrantAt(false, 1) });
    expect([outcome, await scene.rows()]).toEqual([changedConcurrently, revokedAt(1)]);
  });

  test('is restored as revoked if the contract no longer covers it', async () => {
    const { scene, owners } = await openGranted();
    await scene.applyGrantAt(false, 1);
    await scene.loseOwners();
    expect([await copyOne('Appliances', owners), await scene.rows()]).toEqual(['copied', revokedAt(0)]);
    // An earlier grant of another owner stays stale.
    expect(await scene.applyOtherGrantAt(-1)).toEqual({ outcome: 'stale' });
  });
});
