import { beforeAll, describe, expect, test } from 'vitest';
import { contractKey, findContract } from '../../../lambdas/data/contracts/contracts.ts';
import { applyGrant } from '../../../lambdas/data/contracts/grants.ts';
import {
  acceptConsent,
  endContract,
  openContract,
  withdrawConsent,
} from '../../../lambdas/data/contracts/owner-decisions.ts';
import { compareWithRecord } from '../../../operator/restore/reconciliation.ts';
import type { Item } from '../../../operator/restore/row-copy.ts';
import { operate } from '../../support/operator.ts';
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
  const { companyId, company } = await onboard(world.store);
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
    companyId,
    company,
    parties,
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

describe('a contract that is restored without its later changes', () => {
  type Scene = Awaited<ReturnType<typeof openScene>>;
  type Step = (scene: Scene) => Promise<{ readonly outcome: string }>;
  test.each<[string, Step, readonly Step[], Step]>([
    [
      'the last end',
      async ({ opens, ends }) => {
        await opens(-5 * hour);
        return ends(-4 * hour);
      },
      [({ ends }) => ends(5)],
      ({ opens }) => opens(3),
    ],
    [
      'the last opening',
      ({ opens }) => opens(-5 * hour),
      [({ ends }) => ends(5), ({ opens }) => opens(9)],
      ({ ends }) => ends(5),
    ],
    [
      'the last acceptance',
      ({ accepts }) => accepts(-5 * hour),
      [({ withdraws }) => withdraws(5), ({ accepts }) => accepts(9)],
      ({ withdraws }) => withdraws(5),
    ],
  ])('keeps stale what happened before %s', async (_, begin, since, late) => {
    const scene = await openScene();
    await begin(scene);
    const restored = await scene.row();
    for (const step of since) await step(scene);
    expect((await late(scene)).outcome).not.toBe('applied');
    const before = await scene.contract();
    await scene.lose();
    expect(await scene.copy(restored)).toBe('copied');
    expect(await scene.contract()).toEqual(before);
    expect((await late(scene)).outcome).not.toBe('applied');
  });

  test('stays closed if it ended before its opening arrived', async () => {
    const scene = await openScene();
    await scene.accepts(-5 * hour);
    const restored = await scene.row();
    await scene.ends(5);
    await scene.lose();
    await scene.copy(restored);
    expect(await scene.opens(3)).toEqual({ outcome: 'noted' });
    expect((await scene.contract())?.state).toBe('ended');
  });

  test('shows no events of a time without consent, which a late withdrawal has reported', async () => {
    const scene = await openScene();
    await scene.accepts(-5 * hour);
    await scene.accepts(-2 * hour);
    const restored = await scene.row();
    expect(await scene.withdraws(-3 * hour, 5)).toEqual({ outcome: 'noted' });
    const before = await scene.contract();
    await scene.lose();
    await scene.copy(restored);
    expect((await scene.contract())?.consentedSinceMs).toBe(before?.consentedSinceMs);
  });
});

test('a contract comes back with its gateways, without those that were revoked since', async () => {
  const { companyId, parties, opens, row, lose, copy, contract } = await openScene();
  await opens(-5 * hour);
  const grants = (atMs: number, gatewayId: string, isGranted: boolean) =>
    applyGrant(world.store, operatorActOn(companyId, startMs + atMs), { gatewayId, isGranted, userId: parties.userId });
  await grants(-4 * hour, `kept-${companyId}`, true);
  await grants(-4 * hour, `revoked-${companyId}`, true);
  const restored = await row();
  await grants(5, `revoked-${companyId}`, false);
  await lose();
  expect(await copy(restored)).toBe('copied');
  expect(Object.keys((await contract())?.gateways ?? {})).toEqual([`kept-${companyId}`]);
});

test('a gateway that was revoked and granted again since is listed, with the command that grants it', async () => {
  const { companyId, company, parties, opens, row, lose, copy, contract } = await openScene();
  await opens(-5 * hour);
  const grants = (atMs: number, isGranted: boolean) =>
    applyGrant(world.store, operatorActOn(companyId, startMs + atMs), {
      gatewayId: `again-${companyId}`,
      isGranted,
      userId: parties.userId,
    });
  await grants(-4 * hour, true);
  const restored = await row();
  await grants(5, false);
  await grants(9, true);
  await lose();
  expect(await copy(restored)).toBe('copied');
  // The grant of the restored second would show events from the time without access.
  expect((await contract())?.gateways).toEqual({});
  const { given } = await compareWithRecord(world.store, company, startMs, false);
  expect(given.map(({ command }) => command)).toEqual([
    `gateway grant ${companyId} again-${companyId} --user ${parties.userId}`,
  ]);
});

test('a company stays suspended, even if the clock of an operator who resumed it before is ahead', async () => {
  const { companyId, company } = await onboard(world.store, { state: 'suspended' });
  const act = (verb: string, nowMs: number, serviceMs: number) =>
    operate(['company', verb, companyId, '--reason', 'ticket 9'], {
      ...world,
      nowMs,
      connection: { readStoreTimeMs: async () => serviceMs },
    });
  expect((await act('resume', startMs + 40 * second, startMs + 10 * second)).exit).toBe('ok');
  expect((await act('suspend', startMs + 20 * second, startMs + 20 * second)).exit).toBe('ok');
  await loseRow('Companies', { companyId });
  expect(await copyOne('Companies', { ...company, state: 'active' })).toBe('copied');
  expect((await findRow('Companies', { companyId }))?.state).toBe('suspended');
});
