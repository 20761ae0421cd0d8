import { beforeAll, describe, expect, test } from 'vitest';
import { contractKey, findContract } from '../../../lambdas/data/contracts/contracts.ts';
import { applyGrant } from '../../../lambdas/data/contracts/grants.ts';
import {
  acceptConsent,
  endContract,
  openContract,
  withdrawConsent,
} from '../../../lambdas/data/contracts/owner-decisions.ts';
import { applyRevocations, compareWithRecord, differencesIn } from '../../../operator/restore/reconciliation.ts';
import { operate } from '../../support/operator.ts';
import { loseRow } from '../../support/restore.ts';
import { operatorActOn, overtakenBy } from '../../support/store.ts';
import { onboard, openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const second = 1000;
const userId = 'new-owner';
const acceptance = { userId, consentVersion: 3, requiredVersion: 3 };

/** A company whose owner comes after the restored second, so that the restored tables have no contract with the owner. */
const openScene = async () => {
  const { companyId, company } = await onboard(world.store);
  const parties = { companyId, userId };
  const gatewayId = `gw-of-${companyId}`;
  const { store } = world;
  const actAt = (at: number) => operatorActOn(companyId, startMs + at * second);
  const compare = () => compareWithRecord(store, company, startMs, false);
  return {
    companyId,
    gatewayId,
    opens: (at: number) => openContract(store, actAt(at), { userId }),
    ends: (at: number) => endContract(store, actAt(at), { userId }),
    accepts: (at: number) => acceptConsent(store, actAt(at), acceptance),
    withdraws: (at: number) => withdrawConsent(store, actAt(at), { userId }),
    grants: (at: number, isGranted = true) => applyGrant(store, actAt(at), { gatewayId, isGranted, userId }),
    lose: () => loseRow('Contracts', contractKey(parties)),
    contract: () => findContract(store, parties),
    differences: async () => differencesIn(await compare()),
    given: async () => (await compare()).given.map(({ command }) => command),
    reconcile: async (meanwhile?: () => Promise<unknown>) => {
      const act = { ...actAt(1000), operation: 'restore reconcile' };
      await applyRevocations(meanwhile ? overtakenBy(store, meanwhile) : store, act, await compare());
    },
  };
};

describe('a contract since the restored second that is lost', () => {
  test('is listed, with the commands that give everything back', async () => {
    const { companyId, gatewayId, opens, accepts, grants, lose, given, reconcile, contract } = await openScene();
    await opens(1);
    await accepts(2);
    await grants(3);
    await lose();
    await reconcile();
    expect(await contract()).toBeUndefined();
    const commands = await given();
    expect(commands).toEqual([
      `contract open ${companyId} --user ${userId}`,
      `consent accept ${companyId} --user ${userId}`,
      `gateway grant ${companyId} ${gatewayId} --user ${userId}`,
    ]);
    for (const command of commands)
      await operate([...command.split(' '), '--reason', 'lost'], { ...world, nowMs: startMs + 2000 * second });
    expect(await contract()).toMatchObject({ state: 'active', acceptedConsentVersion: 3 });
    expect(Object.keys((await contract())?.gateways ?? {})).toEqual([gatewayId]);
    expect(await given()).toEqual([]);
  });

  test('stays ended: an opening from before the end that arrives late has no effect', async () => {
    const { opens, ends, lose, reconcile, contract } = await openScene();
    await opens(1);
    await ends(5);
    await lose();
    await reconcile();
    expect(await opens(3)).toEqual({ outcome: 'stale' });
    expect((await contract())?.state).toBe('ended');
    expect(await opens(6)).toEqual({ outcome: 'applied' });
  });

  test('stays without what the owner withdrew', async () => {
    const { opens, accepts, withdraws, grants, lose, reconcile, contract } = await openScene();
    await opens(1);
    await accepts(2);
    await withdraws(5);
    await grants(2);
    await grants(5, false);
    await lose();
    await reconcile();
    expect([await accepts(3), (await grants(3)).outcome]).toEqual([{ outcome: 'stale' }, 'noted']);
    expect(await contract()).toMatchObject({ acceptedConsentVersion: null, gateways: {} });
  });

  test('is not created over one that an event creates concurrently', async () => {
    const { opens, ends, lose, reconcile, contract } = await openScene();
    await opens(1);
    await ends(5);
    await lose();
    await expect(reconcile(() => opens(6))).rejects.toThrow('run again');
    await reconcile();
    expect((await contract())?.state).toBe('active');
  });

  test('is not created for an owner who was erased', async () => {
    const { opens, ends, lose, differences, given } = await openScene();
    await opens(1);
    await ends(5);
    await operate(['owner', 'erase', userId, '--yes', '--reason', 'asked'], { ...world, nowMs: startMs + 10 * second });
    await lose();
    expect([await differences(), await given()]).toEqual([[], []]);
  });
});
