import { beforeAll, describe, expect, test } from 'vitest';
import { grantKey } from '../../../lambdas/data/contracts/contracts.ts';
import { applyGrant, grantGuardKey, reverseGrantKey } from '../../../lambdas/data/contracts/grants.ts';
import type { Store } from '../../../lambdas/data/store/store.ts';
import { compareWithRecord, differencesIn, takeAway } from '../../../operator/restore/reconciliation.ts';
import type { Item } from '../../../operator/restore/row-copy.ts';
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
  const { companyId, contract } = await onboard(world.store);
  const gatewayId = `gw-${process.pid}r${gateways++}`;
  const ids = [companyId, gatewayId] as const;
  const tell = (isGranted: boolean, at: number) =>
    applyGrant(world.store, operatorActOn(companyId, startMs + at), { gatewayId, isGranted, userId: contract.userId });
  return {
    ...{ companyId, gatewayId, tell },
    loseGrant: () => loseRow('Contracts', grantKey(...ids)),
    loseGuard: () => loseRow('Contracts', grantGuardKey(...ids)),
    loseReverse: () => loseRow('Appliances', reverseGrantKey(...ids)),
    bringBackGrant: (at: number) => putRow('Contracts', { ...grantKey(...ids), grantedAtMs: startMs + at }),
    bringBackGuard: (at: number) =>
      putRow('Contracts', {
        ...{ ...grantGuardKey(...ids), isGranted: false },
        ...{ claimedAtMs: startMs + at, changedAtMs: startMs + at },
      }),
    bringBackReverse: (at: number) => putRow('Appliances', { ...reverseGrantKey(...ids), grantedAtMs: startMs + at }),
    /** What differs, which is put in order; somebody may overtake. */
    reconcile: async (meanwhile?: () => Promise<unknown>) => {
      const found = await compareWithRecord(world.store, contract, startMs);
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
  const { companyId, tell } = await openScene();
  await tell(true, 10);
  const { contract } = await compareWithRecord(world.store, { companyId } as never, startMs);
  const reads = await consistencyOf(() => compareWithRecord(world.store, contract, startMs));
  expect(reads.length).toBeGreaterThan(4);
  expect(reads).not.toContain(false);
});

describe('grant copies', () => {
  /** A granted gateway and its three rows, and what grants or revokes it later. */
  const grantedGateway = async () => {
    const { companyId, contract } = await onboard(world.store);
    const gatewayId = `gw-${process.pid}x${gateways++}`;
    const change = (isGranted: boolean, nowMs: number) =>
      applyGrant(world.store, operatorActOn(companyId, nowMs), { gatewayId, isGranted, userId: contract.userId });
    await change(true, startMs);
    const grant = (await findRow('Contracts', grantKey(companyId, gatewayId))) as Item;
    const guard = (await findRow('Contracts', grantGuardKey(companyId, gatewayId))) as Item;
    const reverse = (await findRow('Appliances', reverseGrantKey(companyId, gatewayId))) as Item;
    return { grant, guard, reverse, change, rows: () => readGrantRows(world.store, companyId, gatewayId) };
  };

  const whole = { grantedAtMs: startMs, reverseAtMs: startMs, changedAtMs: startMs };

  test('a lost grant comes back with its reverse row, and its guard row by itself', async () => {
    const { grant, guard, reverse, rows } = await grantedGateway();
    await loseRow('Contracts', grant);
    await loseRow('Contracts', guard);
    await loseRow('Appliances', reverse);
    expect(await copyOne('Contracts', grant)).toBe('copied');
    expect(await rows()).toEqual({ ...whole, changedAtMs: undefined });
    expect(await copyOne('Contracts', guard)).toBe('copied');
    expect(await rows()).toEqual(whole);
  });

  test('a lost grant comes back whose guard row was not lost', async () => {
    const { grant, rows } = await grantedGateway();
    await loseRow('Contracts', grant);
    expect(await copyOne('Contracts', grant)).toBe('copied');
    expect(await rows()).toEqual(whole);
  });

  test('a lost guard row that is written anew at the same moment stays as it was written', async () => {
    const { guard, change, rows } = await grantedGateway();
    await loseRow('Contracts', guard);
    expect(await copyOne('Contracts', guard, { meanwhile: () => change(false, startMs + 1) })).toBe(leftMeanwhile);
    expect((await rows()).changedAtMs).toBe(startMs + 1);
  });

  describe('a lost grant stays away that was revoked', () => {
    test('at the same moment', async () => {
      const { grant, change, rows } = await grantedGateway();
      await loseRow('Contracts', grant);
      expect(await copyOne('Contracts', grant, { meanwhile: () => change(false, startMs + 1) })).toBe(leftMeanwhile);
      expect((await rows()).grantedAtMs).toBeUndefined();
    });

    test('and that somebody else grants at the same moment stays as granted then', async () => {
      const { grant, guard, change, rows } = await grantedGateway();
      await loseRow('Contracts', grant);
      await loseRow('Contracts', guard);
      const grantAnew = async () => {
        await change(true, startMs + 1);
        await loseRow('Contracts', guard);
      };
      expect(await copyOne('Contracts', grant, { meanwhile: grantAnew })).toBe(leftMeanwhile);
      expect((await rows()).grantedAtMs).toBe(startMs + 1);
    });
  });

  describe('a lost reverse row', () => {
    test('comes back as long as there is its grant', async () => {
      const { reverse, rows } = await grantedGateway();
      await loseRow('Appliances', reverse);
      expect(await copyOne('Appliances', reverse)).toBe('copied');
      expect(await rows()).toEqual(whole);
    });

    test('of a grant that is gone does not', async () => {
      const { reverse, change, rows } = await grantedGateway();
      await change(false, startMs + 1);
      expect(await copyOne('Appliances', reverse)).toBe('same');
      expect((await rows()).reverseAtMs).toBeUndefined();
    });

    test('of a grant that goes at the same moment does not', async () => {
      const { reverse, change, rows } = await grantedGateway();
      await loseRow('Appliances', reverse);
      expect(await copyOne('Appliances', reverse, { meanwhile: () => change(false, startMs + 1) })).toBe(leftMeanwhile);
      expect((await rows()).reverseAtMs).toBeUndefined();
    });

    test('that is there by now stays as it is', async () => {
      const { reverse } = await grantedGateway();
      expect(await copyOne('Appliances', reverse)).toBe(leftMeanwhile);
    });
  });
});
