import { beforeAll, expect, test } from 'vitest';
import { contractKey, erasureParties } from '../../../lambdas/data/contracts/contracts.ts';
import { applyGrant, ownersKey } from '../../../lambdas/data/contracts/grants.ts';
import { openContract } from '../../../lambdas/data/contracts/owner-decisions.ts';
import type { Item } from '../../../operator/restore/row-copy.ts';
import { operate } from '../../support/operator.ts';
import { ownerScene } from '../../support/owner-scene.ts';
import { changedConcurrently, copyOne, findRow, loseRow, setBackOne } from '../../support/restore.ts';
import { operatorActOn } from '../../support/store.ts';
import { openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

test('restores no contracts, grants or gateway state of an owner who was erased since', async () => {
  const { owner, neighbour, first, own, got, given } = await ownerScene(world.store);
  const rowsOf = async () => ({
    contract: await findRow('Contracts', contractKey({ companyId: first, userId: owner })),
    own: await findRow('Appliances', ownersKey(first, own)),
    got: await findRow('Appliances', ownersKey(first, got)),
    given: await findRow('Appliances', ownersKey(first, given)),
    gateway: await findRow('Appliances', { gatewayId: own, sk: 'GATEWAY' }),
    circuit: await findRow('Appliances', { gatewayId: own, sk: 'CIRCUIT#heating#hc1' }),
  });
  const restored = (await rowsOf()) as Readonly<Record<keyof Awaited<ReturnType<typeof rowsOf>>, Item>>;
  const { exit } = await operate(['owner', 'erase', owner, '--yes', '--reason', 'asked'], { store: world.store });
  expect(exit).toBe('ok');
  const erased = await rowsOf();
  expect([erased.gateway, erased.circuit]).toEqual([undefined, undefined]);
  expect(await setBackOne('Contracts', restored.contract)).toMatch(/erased since/);
  for (const name of ['own', 'given'] as const)
    await copyOne('Appliances', restored[name], { own: erased[name] as Item });
  await loseRow('Appliances', restored.own);
  expect(await copyOne('Appliances', restored.own)).toBe('copied');
  expect(await copyOne('Appliances', restored.got)).not.toMatch(/fail/);
  for (const name of ['gateway', 'circuit'] as const)
    expect(await copyOne('Appliances', restored[name])).toMatch(/removed since/);
  const after = await rowsOf();
  expect([after.contract, after.gateway, after.circuit]).toEqual([erased.contract, undefined, undefined]);
  expect(JSON.stringify(after.got)).toContain(neighbour);
  expect(JSON.stringify([after.own, after.got, after.given])).not.toContain(owner);
  // The neighbour granted it before the owner did, and the event arrives only now.
  const late = { gatewayId: own, isGranted: true, userId: neighbour };
  expect(await applyGrant(world.store, operatorActOn(first, startMs - 95 * 60_000), late)).toEqual({
    outcome: 'stale',
  });
});

test('restores the row of an erasure; without it and the contract, restores nothing of the owner', async () => {
  const { owner, first, own, second } = await ownerScene(world.store);
  const contractRow = (companyId: string) => findRow('Contracts', contractKey({ companyId, userId: owner }));
  const [contract, owners] = [await contractRow(first), await findRow('Appliances', ownersKey(first, own))] as [
    Item,
    Item,
  ];
  const erase = () => operate(['owner', 'erase', owner, '--yes', '--reason', 'asked'], { store: world.store });
  // Only a contract with another company is left to erase.
  await loseRow('Contracts', contract);
  expect(await copyOne('Contracts', contract, { meanwhile: erase })).toBe(changedConcurrently);
  expect(await copyOne('Contracts', contract)).toMatch(/erased since/);
  await loseRow('Appliances', owners);
  expect(await copyOne('Appliances', owners)).toBe('copied');
  expect(JSON.stringify(await findRow('Appliances', owners))).not.toContain(owner);
  expect(await contractRow(first)).toBeUndefined();
  const erasure = (await findRow('Contracts', contractKey(erasureParties(owner)))) as Item;
  expect(await copyOne('Contracts', erasure, { own: erasure })).toBe('same');
  await loseRow('Contracts', erasure);
  expect(await copyOne('Contracts', erasure)).toBe('copied');
  expect(await findRow('Contracts', erasure)).toEqual(erasure);
  expect((await contractRow(second))?.state).toBe('unopened');
});

test.each<[string, (scene: Scene) => Promise<unknown>]>([
  ['opened a contract', ({ act, owner }) => openContract(world.store, act, { userId: owner })],
  [
    'granted a gateway',
    ({ act, owner, own }) => applyGrant(world.store, act, { gatewayId: own, isGranted: true, userId: owner }),
  ],
])('keeps the row of an owner who %s after the erasure: it does not expire', async (_, comeBack) => {
  const scene = await erasedScene();
  const restored = await scene.contractRow();
  await comeBack(scene);
  const since = await scene.contractRow();
  expect([restored.removeAt === null, since.removeAt ?? null]).toEqual([false, null]);
  expect(await setBackOne('Contracts', restored)).toMatch(/^(changed|the owner was erased) since/);
  expect(await scene.contractRow()).toEqual(since);
});

test('restores nothing of an owner who was being erased at the restored second', async () => {
  const { contractRow, before } = await erasedScene();
  const own = await contractRow();
  const amid = { ...before, state: 'ended', erasedAtMs: own.erasedAtMs };
  expect(await setBackOne('Contracts', amid)).toMatch(/erased since/);
  expect(await contractRow()).toEqual(own);
});

type Scene = Awaited<ReturnType<typeof erasedScene>>;

/** An owner who was erased, and could come back five hours later. */
const erasedScene = async () => {
  const { owner, own, first } = await ownerScene(world.store);
  const contractRow = async () =>
    (await findRow('Contracts', contractKey({ companyId: first, userId: owner }))) as Item;
  const before = await contractRow();
  const { exit } = await operate(['owner', 'erase', owner, '--yes', '--reason', 'asked'], { store: world.store });
  expect(exit).toBe('ok');
  return { owner, own, before, contractRow, act: operatorActOn(first, startMs + 5 * 3_600_000) };
};
