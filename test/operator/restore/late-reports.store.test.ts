import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { circuitItemKey, gatewayItemKey } from '../../../lambdas/data/appliances/appliances.ts';
import { describeGateway, removeGateway, reportFacts } from '../../../lambdas/data/appliances/gateways.ts';
import { inventoryItemKey } from '../../../lambdas/data/appliances/inventory.ts';
import { report } from '../../../lambdas/data/appliances/reports.ts';
import { faultFacts } from '../../../lambdas/domain/gateway.ts';
import type { Item } from '../../../operator/restore/row-copy.ts';
import { factTimesAt } from '../../support/appliance.ts';
import { changedConcurrently, copyOne, findRow, loseRow } from '../../support/restore.ts';
import { openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

/** A gateway that was described at 1 ms, whose appliance has reported a fault at 2 ms. */
const openScene = async () => {
  const gatewayId = `gw-${randomUUID()}`;
  const key = gatewayItemKey(gatewayId);
  const timesAt = (at: number) => factTimesAt(startMs + at);
  const circuits = [{ family: 'heating' as const, circuitId: 'hc1', timeProgramIds: [] }];
  const describes = (at: number) => describeGateway(world.store, { gatewayId, circuits }, timesAt(at));
  const faults = (code: string, at: number) => {
    const fault = { code, componentId: null, severity: 'fault', text: null, sinceMs: null };
    return reportFacts(world.store, gatewayId, faultFacts(fault), timesAt(at));
  };
  await describes(1);
  await faults('F1', 2);
  return {
    describes,
    faults,
    reports: (at: number) =>
      report(
        world.store,
        circuitItemKey(gatewayId, 'heating', 'hc1'),
        { ids: { circuitId: 'hc1' }, reported: {} },
        timesAt(at),
      ),
    circuit: async () => (await findRow('Appliances', circuitItemKey(gatewayId, 'heating', 'hc1'))) as Item,
    loseCircuit: () => loseRow('Appliances', circuitItemKey(gatewayId, 'heating', 'hc1')),
    inventory: async () => (await findRow('Appliances', inventoryItemKey(gatewayId))) as Item,
    loseInventory: () => loseRow('Appliances', inventoryItemKey(gatewayId)),
    removes: (at: number) => removeGateway(world.store, gatewayId, timesAt(at)),
    row: async () => (await findRow('Appliances', key)) as Item,
    lose: () => loseRow('Appliances', key),
  };
};

test('a gateway that was described again since is not restored in its state from before its removal', async () => {
  const { row, removes, describes, lose } = await openScene();
  const restored = await row();
  await removes(1);
  await describes(7);
  await lose();
  expect(await copyOne('Appliances', restored)).toBe('removed since');
});

test('a gateway is restored without its facts from before a removal that arrived late since', async () => {
  const { row, removes, describes, faults, lose } = await openScene();
  await describes(7);
  await faults('F2', 8);
  const restored = await row();
  await removes(5);
  const since = await row();
  await lose();
  expect(await copyOne('Appliances', restored)).toBe('copied');
  const { receivedAtMs: _, ...expected } = since;
  expect(await row()).toMatchObject(expected);
  expect((await row()).facts).toEqual(since.facts);
  expect(await faults('F3', 4)).toEqual({ outcome: 'stale' });
  expect(await faults('F3', 6)).toEqual({ outcome: 'applied' });
});

test.each<[string, number | undefined]>([
  ['arrived late since', 7],
  ['was followed by a description since', undefined],
])('a lost inventory is restored with a removal that %s, according to the gateway', async (_, describedBefore) => {
  const { inventory, removes, describes, reports, loseInventory } = await openScene();
  if (describedBefore) await describes(describedBefore);
  const restored = await inventory();
  await removes(5);
  await describes(7);
  const { revision: _revision, absentAtMs: _absence, ...since } = await inventory();
  await loseInventory();
  expect(await copyOne('Appliances', restored)).toBe('copied');
  expect(await inventory()).toMatchObject(since);
  expect(await reports(4)).toEqual({ outcome: 'stale' });
  expect(await reports(8)).toEqual({ outcome: 'applied' });
});

test('a lost inventory of a gateway that was removed is restored as described if it was described again', async () => {
  const { inventory, removes, describes, reports, loseInventory } = await openScene();
  await removes(5);
  const restored = await inventory();
  await describes(7);
  await loseInventory();
  expect(await copyOne('Appliances', restored)).toBe('copied');
  expect(await inventory()).toMatchObject({ describedAtMs: startMs + 7, removedAtMs: startMs + 5 });
  expect(await inventory()).not.toHaveProperty('removeAt');
  expect([await reports(4), await reports(8)]).toEqual([{ outcome: 'stale' }, { outcome: 'applied' }]);
});

describe('an inventory that the first description after a loss has created', () => {
  const loseAll = async ({ lose, loseInventory, loseCircuit }: Awaited<ReturnType<typeof openScene>>) => {
    for (const each of [lose, loseInventory, loseCircuit]) await each();
  };

  test('gets back its removals, absences and versions', async () => {
    const scene = await openScene();
    const { reports, faults, removes, describes, inventory, row } = scene;
    await reports(2);
    await removes(5);
    await describes(6);
    const restored = await inventory();
    await loseAll(scene);
    await describes(9);
    expect(await copyOne('Appliances', restored, { own: await inventory() })).toBe('copied');
    expect(await inventory()).toMatchObject({ describedAtMs: startMs + 9, removedAtMs: startMs + 5 });
    expect(await copyOne('Appliances', restored, { own: await inventory() })).toBe('same');
    expect([await faults('F2', 4), await reports(4)]).toEqual([{ outcome: 'stale' }, { outcome: 'stale' }]);
    expect((await row()).facts).toEqual({});
    expect(await reports(7)).toEqual({ outcome: 'applied' });
    expect((await scene.circuit()).version).toBe(2);
  });

  test('gets back a newer description than the one that has created it', async () => {
    const scene = await openScene();
    const { describes, inventory } = scene;
    await describes(6);
    const restored = await inventory();
    await loseAll(scene);
    await describes(3);
    expect(await copyOne('Appliances', restored, { own: await inventory() })).toBe('copied');
    const { revision: _, ...known } = restored;
    expect(await inventory()).toMatchObject(known);
  });

  test('gets back a description that is newer than the removal that has created it', async () => {
    const scene = await openScene();
    const { describes, removes, inventory } = scene;
    await describes(6);
    const restored = await inventory();
    await loseAll(scene);
    await removes(4);
    expect(await copyOne('Appliances', restored, { own: await inventory() })).toBe('copied');
    expect(await inventory()).toMatchObject({ describedAtMs: startMs + 6, removedAtMs: startMs + 4 });
    expect(await inventory()).not.toHaveProperty('removeAt');
  });

  test('stays removed, and gets back its versions', async () => {
    const scene = await openScene();
    const { describes, removes, reports, inventory } = scene;
    await reports(2);
    await removes(3);
    await describes(5);
    const restored = await inventory();
    await loseAll(scene);
    await removes(7);
    const { removeAt, lastVersion } = await inventory();
    expect(await copyOne('Appliances', restored, { own: await inventory() })).toBe('copied');
    expect(await inventory()).toMatchObject({ removedAtMs: startMs + 7, describedAtMs: 0, removeAt });
    expect((await inventory()).lastVersion).not.toEqual(lastVersion);
  });

  test('stays if the description is from before the removal, which has to be sent again', async () => {
    const scene = await openScene();
    const { removes, describes, inventory } = scene;
    await removes(5);
    const restored = await inventory();
    await loseAll(scene);
    await describes(4);
    const own = await inventory();
    expect(await copyOne('Appliances', restored, { own })).toMatch(/sent again/);
    expect(await inventory()).toEqual(own);
  });

  test.each<[string, (scene: Awaited<ReturnType<typeof openScene>>) => Promise<unknown>]>([
    ['description', ({ describes }) => describes(11)],
    ['report', ({ faults }) => faults('F2', 10)],
  ])('keeps a concurrent %s', async (_, act) => {
    const scene = await openScene();
    const { removes, describes, inventory } = scene;
    await removes(5);
    await describes(6);
    const restored = await inventory();
    await loseAll(scene);
    await describes(9);
    const own = await inventory();
    expect(await copyOne('Appliances', restored, { own, meanwhile: () => act(scene) })).toBe(changedConcurrently);
  });
});
