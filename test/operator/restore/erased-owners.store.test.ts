import { beforeAll, expect, test } from 'vitest';
import { contractKey } from '../../../lambdas/data/contracts/contracts.ts';
import { ownersKey } from '../../../lambdas/data/contracts/grants.ts';
import type { Item } from '../../../operator/restore/row-copy.ts';
import { operate } from '../../support/operator.ts';
import { ownerScene } from '../../support/owner-scene.ts';
import { copyOne, findRow } from '../../support/restore.ts';
import { openWorld } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

test('what a restore has of an owner who was erased since stays away: contracts, grants and the state of their gateways', async () => {
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
  expect([erased.own, erased.gateway, erased.circuit]).toEqual([undefined, undefined, undefined]);
  expect(await copyOne('Contracts', restored.contract, { own: erased.contract as Item })).toMatch(/erased since/);
  for (const name of ['own', 'given'] as const)
    await copyOne('Appliances', restored[name], { own: erased[name] as Item });
  expect(await copyOne('Appliances', restored.own)).toBe('same');
  expect(await copyOne('Appliances', restored.got)).not.toMatch(/fail/);
  for (const name of ['gateway', 'circuit'] as const)
    expect(await copyOne('Appliances', restored[name])).toMatch(/removed since/);
  const after = await rowsOf();
  expect([after.contract, after.own, after.gateway, after.circuit]).toEqual([
    erased.contract,
    undefined,
    undefined,
    undefined,
  ]);
  expect(JSON.stringify(after.got)).toContain(neighbour);
  expect(JSON.stringify([after.got, after.given])).not.toContain(owner);
});
