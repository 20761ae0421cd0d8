import { beforeAll, describe, expect, test } from 'vitest';
import { grantKey } from '../../../lambdas/data/contracts/contracts.ts';
import { applyGrant, grantGuardKey, reverseGrantKey } from '../../../lambdas/data/contracts/grants.ts';
import type { Store } from '../../../lambdas/data/store/store.ts';
import { compareWithRecord, differencesIn, takeAway } from '../../../operator/restore/reconciliation.ts';
import { copyOne, findRow, leftMeanwhile, loseRow, putRow } from '../../support/restore.ts';
import { consistencyOf, operatorActOn, overtakenBy, readAudit, readGrantRows } from '../../support/store.ts';
import { onboard, openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const reconciledAtMs = startMs + 100_000;
let gateways = 0;

/** A gateway that the portal tells of, and of which rows are lost since `startMs`. */
const openScene = async () => {
  const { companyId, company, contract } = await onboard(world.store);
  const gatewayId = `gw-${process.pid}r${gateways++}`;
  const ids = [companyId, gatewayId] as const;
  const keys = { grant: grantKey(...ids), guard: grantGuardKey(...ids), reverse: reverseGrantKey(...ids) };
  const tell = (isGranted: boolean, at: number) =>
    applyGrant(world.store, operatorActOn(companyId, startMs + at), { gatewayId, isGranted, userId: contract.userId });
  return {
    companyId,
    company,
    gatewayId,
    tell,
    keys,
    loseGuard: () => loseRow('Contracts', keys.guard),
    loseReverse: () => loseRow('Appliances', keys.reverse),
    bringBackGrant: (at: number) => putRow('Contracts', { ...keys.grant, grantedAtMs: startMs + at }),
    bringBackGuard: (at: number) =>
      putRow('Contracts', {
        ...keys.guard,
        isGranted: false,
        claimedAtMs: startMs + at,
        changedAtMs: startMs + at,
      }),
    bringBackReverse: (at: number) => putRow('Appliances', { ...keys.reverse, grantedAtMs: startMs + at }),
    /** What differs, which is put in order; somebody may overtake. */
    reconcile: async (meanwhile?: () => Promise<unknown>) => {
      const found = await compareWithRecord(world.store, company, startMs);
      const store: Store = meanwhile ? overtakenBy(world.store, meanwhile) : world.store;
      const act = { ...operatorActOn(companyId, reconciledAtMs), operation: 'restore reconcile' };
      await takeAway(store, act, found);
      return differencesIn(found).map(({ what, before, after }) => [what, before, after]);
    },
    rows: async () => {
      const since = (ms: unknown) => (ms === undefined ? undefined : Number(ms) - startMs);
      const { grantedAtMs, reverseAtMs, changedAtMs } = await readGrantRows(world.store, ...ids);
      return { granted: since(grantedAtMs), reverse: since(reverseAtMs), changed: since(changedAtMs) };
    },
  };
};

const revokedAt = (at: number) => ({ granted: undefined, reverse: undefined, changed: at });
const grantedAt = (at: number) => ({ granted: at, reverse: at, changed: at });

describe('a gateway that was granted and revoked since, and whose guard row is lost', () => {
  test('is closed again to a grant from before that comes late, and open to a newer one', async () => {
    const { gatewayId, tell, loseGuard, reconcile, rows } = await openScene();
    await tell(true, 10);
    await tell(false, 30);
    await loseGuard();
    expect(await reconcile()).toEqual([[`gateway ${gatewayId}`, null, 'revoked']]);
    expect(await rows()).toEqual(revokedAt(30));
    expect(await tell(true, 20)).toEqual({ outcome: 'stale' });
    expect(await reconcile()).toEqual([]);
    // It was under way while all this was done.
    expect(await tell(true, 40)).toEqual({ outcome: 'applied' });
    expect(await reconcile()).toEqual([]);
    expect(await rows()).toEqual(grantedAt(40));
  });

  test('or came back as of the restored second, too', async () => {
    const { tell, loseGuard, reconcile, rows } = await openScene();
    await tell(true, 10);
    await tell(false, 30);
    await loseGuard();
    await tell(false, -1000);
    await reconcile();
    expect(await rows()).toEqual(revokedAt(30));
  });

  test('stays as somebody leaves it who tells something newer at the same moment', async () => {
    const { tell, loseGuard, reconcile, rows } = await openScene();
    await tell(false, 30);
    await loseGuard();
    await expect(reconcile(() => tell(true, 40))).rejects.toThrow('run again');
    expect(await rows()).toEqual(grantedAt(40));
  });
});

describe('a gateway that was revoked on record', () => {
  test.each<[string, 'bringBackGrant' | 'bringBackReverse']>([
    ['its grant', 'bringBackGrant'],
    ['its reverse row', 'bringBackReverse'],
  ])('loses %s again, though its guard row was never lost', async (_, bringBack) => {
    const scene = await openScene();
    await scene.tell(true, 10);
    await scene.tell(false, 30);
    await scene[bringBack](10);
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

  test('and later again off the record, as its guard row tells, is revoked as of then', async () => {
    const { tell, loseGuard, bringBackGuard, bringBackGrant, reconcile, rows } = await openScene();
    await tell(true, 10);
    await tell(false, 30);
    await loseGuard();
    await bringBackGuard(40);
    await bringBackGrant(10);
    await reconcile();
    expect(await rows()).toEqual(revokedAt(40));
  });

  test('and was granted later off the record, as its rows tell, is left', async () => {
    const { tell, loseGuard, bringBackGrant, bringBackReverse, reconcile } = await openScene();
    await tell(false, 30);
    await loseGuard();
    await bringBackGrant(40);
    await bringBackReverse(40);
    expect(await reconcile()).toEqual([]);
  });
});

describe('the reverse row of a grant', () => {
  test.each<[string, (scene: Awaited<ReturnType<typeof openScene>>) => Promise<unknown>]>([
    ['is lost', ({ loseReverse }) => loseReverse()],
    ['is as of an earlier grant', ({ bringBackReverse }) => bringBackReverse(-1000)],
  ])('is put right if it %s', async (_, spoil) => {
    const scene = await openScene();
    await scene.tell(true, 10);
    await spoil(scene);
    expect(await scene.reconcile()).toEqual([[`gateway ${scene.gatewayId}, in its own partition`, null, 'granted']]);
    expect(await scene.rows()).toEqual(grantedAt(10));
    expect(await scene.reconcile()).toEqual([]);
  });

  test.each([false, true])('is left to whoever changes the grant at the same moment, to granted: %s', async (is) => {
    const { tell, loseReverse, reconcile, rows } = await openScene();
    await tell(true, 10);
    await loseReverse();
    await expect(reconcile(() => tell(is, 40))).rejects.toThrow('run again');
    expect(await rows()).toEqual(is ? grantedAt(40) : revokedAt(40));
  });
});

test('all that is compared is read strongly consistent', async () => {
  const { company, tell } = await openScene();
  await tell(true, 10);
  const reads = await consistencyOf(() => compareWithRecord(world.store, company, startMs));
  expect(reads.length).toBeGreaterThan(4);
  expect(reads).not.toContain(false);
});

describe('of a granted gateway', () => {
  type Name = 'grant' | 'guard' | 'reverse';
  type Scene = Awaited<ReturnType<typeof openScene>>;

  /** The scene of one that is granted as of the restored second, and its rows. */
  const openGranted = async () => {
    const scene = await openScene();
    await scene.tell(true, 0);
    const { grant, guard, reverse } = scene.keys;
    const [grantRow = {}, guardRow = {}, reverseRow = {}] = await Promise.all([
      findRow('Contracts', grant),
      findRow('Contracts', guard),
      findRow('Appliances', reverse),
    ]);
    return { scene, row: { grant: grantRow, guard: guardRow, reverse: reverseRow } };
  };
  const tableOf = (name: Name) => (name === 'reverse' ? 'Appliances' : 'Contracts');

  const whole = grantedAt(0);
  const revokes = ({ tell }: Scene) => tell(false, 1);
  const grantsAnew = async ({ tell, loseGuard }: Scene) => {
    await tell(true, 1);
    await loseGuard();
  };

  test.each<[string, lost: Name[], Name, object, ((scene: Scene) => Promise<unknown>)?]>([
    [
      'a lost grant comes back with its reverse row',
      ['grant', 'guard', 'reverse'],
      'grant',
      { ...whole, changed: undefined },
    ],
    ['a lost grant comes back whose guard row was not lost', ['grant'], 'grant', whole],
    ['a lost guard row comes back by itself', ['guard'], 'guard', whole],
    ['a lost reverse row comes back as long as there is its grant', ['reverse'], 'reverse', whole],
    ['a lost guard row stays as somebody writes it anew', ['guard'], 'guard', revokedAt(1), revokes],
    ['a lost grant stays away that somebody revokes', ['grant'], 'grant', revokedAt(1), revokes],
    [
      'a lost grant stays as somebody grants it',
      ['grant', 'guard'],
      'grant',
      { ...grantedAt(1), changed: undefined },
      grantsAnew,
    ],
    ['a lost reverse row stays away of a grant that goes', ['reverse'], 'reverse', revokedAt(1), revokes],
    ['a reverse row that is there by now stays as it is', [], 'reverse', whole, async () => {}],
  ])('%s', async (_, lost, copied, expected, meanwhile) => {
    const { scene, row } = await openGranted();
    for (const name of lost) await loseRow(tableOf(name), row[name]);
    const outcome = await copyOne(tableOf(copied), row[copied], { meanwhile: meanwhile && (() => meanwhile(scene)) });
    expect([outcome, await scene.rows()]).toEqual([meanwhile ? leftMeanwhile : 'copied', expected]);
  });

  test('the reverse row of a grant that is gone does not come back', async () => {
    const { scene, row } = await openGranted();
    await scene.tell(false, 1);
    expect(await copyOne('Appliances', row.reverse)).toBe('same');
    expect(await scene.rows()).toEqual(revokedAt(1));
  });
});
