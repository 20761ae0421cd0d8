import { beforeAll, describe, expect, test } from 'vitest';
import { contractKey, findContract } from '../../../lambdas/data/contracts/contracts.ts';
import {
  acceptConsent,
  endContract,
  openContract,
  withdrawConsent,
} from '../../../lambdas/data/contracts/owner-decisions.ts';
import type { Item } from '../../../operator/restore/row-copy.ts';
import { copyOne, findRow, loseRow } from '../../support/restore.ts';
import { operatorActOn } from '../../support/store.ts';
import { onboard, openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

let owners = 0;
const [second, hour] = [1000, 3_600_000];

/** An owner of a company, whose decisions happen at a time after the restored second, and arrive then or at another time. */
const openScene = async () => {
  const { companyId } = await onboard(world.store);
  const parties = { companyId, userId: `late${process.pid}o${owners++}` };
  const { userId } = parties;
  const contract = () => findContract(world.store, parties);
  const row = async () => (await findRow('Contracts', contractKey(parties))) as Item;
  const told = (atMs: number, arrivedAtMs = atMs) =>
    [
      world.store,
      { ...operatorActOn(companyId, startMs + atMs), recordedAtMs: startMs + arrivedAtMs },
      { userId, arrivedAtMs: startMs + arrivedAtMs },
    ] as const;
  const accepted = { consentVersion: 3, requiredVersion: 3 };
  return {
    contract,
    row,
    opens: (...times: Times) => openContract(...told(...times)),
    ends: (...times: Times) => endContract(...told(...times)),
    withdraws: (...times: Times) => withdrawConsent(...told(...times)),
    accepts: (...times: Times) => {
      const [store, act, owner] = told(...times);
      return acceptConsent(store, act, { ...accepted, ...owner });
    },
    lose: () => loseRow('Contracts', contractKey(parties)),
    copy: async (restored: Item) => copyOne('Contracts', restored, { own: await row() }),
  };
};

type Times = [atMs: number, arrivedAtMs?: number];

describe('an end by a slow clock, after an opening by a fast one', () => {
  test.each<[string, (scene: Awaited<ReturnType<typeof openScene>>) => Promise<unknown>]>([
    ['was open', ({ opens }) => opens(-5 * hour)],
    ['had ended', ({ ends }) => ends(-5 * hour)],
  ])('is restored with its times if the contract %s at the restored second', async (_, begin) => {
    const scene = await openScene();
    await begin(scene);
    const restored = await scene.row();
    await scene.opens(50 * second, 5 * second);
    await scene.ends(30 * second);
    const before = await scene.contract();
    await scene.lose();
    await scene.copy(restored);
    const { stateClaimedAtMs, stateChangedAtMs } = (await scene.contract()) ?? {};
    expect([stateClaimedAtMs, stateChangedAtMs]).toEqual([before?.stateClaimedAtMs, before?.stateChangedAtMs]);
    expect(await scene.opens(51 * second, 20 * second)).toEqual({ outcome: 'stale' });
  });
});
