import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { maxCircuits, maxTimeProgramsPerCircuit } from '../../../lambdas/api/limits.ts';
import { circuitItemKey, readShadows } from '../../../lambdas/data/appliances/appliances.ts';
import { describeGateway, removeGateway } from '../../../lambdas/data/appliances/gateways.ts';
import { inventoryItemKey, type StoredInventory } from '../../../lambdas/data/appliances/inventory.ts';
import { report } from '../../../lambdas/data/appliances/reports.ts';
import { timeProgramItemKey } from '../../../lambdas/data/appliances/time-programs.ts';
import type { Store } from '../../../lambdas/data/store/store.ts';
import { factTimesAt, readStored } from '../../support/appliance.ts';
import { below, randomNumbers } from '../../support/random.ts';
import { overtakenBy } from '../../support/store.ts';
import { openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

type Circuits = NonNullable<Parameters<typeof describeGateway>[1]['circuits']>;

/** A gateway whose facts occur one millisecond after the other. */
const openScene = () => {
  const gatewayId = `gw-${randomUUID()}`;
  let atMs = startMs;
  const now = () => factTimesAt(++atMs);
  const circuitKey = (circuitId: string) => circuitItemKey(gatewayId, 'dhw', circuitId);
  const programKey = (circuitId: string, id: string) => timeProgramItemKey(gatewayId, 'dhw', circuitId, id);
  return {
    circuitKey,
    programKey,
    describes: (circuits?: Circuits) => describeGateway(world.store, { gatewayId, circuits }, now()),
    removes: () => removeGateway(world.store, gatewayId, now()),
    reports: (key: ReturnType<typeof circuitKey>, by: Store = world.store) => report(by, key, { reported: {} }, now()),
    inventory: async () => (await readStored(world.store, inventoryItemKey(gatewayId))) as object as StoredInventory,
    versions: async () =>
      Object.fromEntries((await readShadows(world.store, gatewayId)).map(({ sk, version }) => [sk, version])),
  };
};

const withPrograms = (...timeProgramIds: string[]): Circuits => [{ family: 'dhw', circuitId: 'dhw1', timeProgramIds }];
const withCirculation = (timeProgramId: string): Circuits => [
  { family: 'dhw', circuitId: 'dhw1', circulation: { timeProgramId } },
];
const first = (count: number) => Array.from({ length: count }, (_, index) => `n${index}`);

describe('an appliance that renumbers its time programs', () => {
  test('leaves no trace of the deleted ones but their highest version', async () => {
    const { describes, reports, programKey, inventory } = openScene();
    const sizes = [];
    for (const id of first(12)) {
      await describes(withPrograms(id));
      await reports(programKey('dhw1', id));
      sizes.push(JSON.stringify({ ...(await inventory()), revision: 0, lastVersion: 0 }).length);
    }
    expect(Math.max(...sizes.slice(2))).toBeLessThanOrEqual(Math.max(...sizes.slice(0, 2)) + 2);
    expect(await inventory()).toMatchObject({ lastVersion: 11 });
  });

  test('gets a version above all that the time program ever had (60 random facts)', async () => {
    const { describes, removes, reports, programKey, versions } = openScene();
    const random = randomNumbers();
    const ids = first(4);
    const highest = new Map<string, number>();
    let before: Record<string, number> = {};
    await describes(withPrograms(...ids));
    for (let round = 0; round < 60; round++) {
      const kind = below(random, 10);
      if (kind === 0) await removes();
      if (kind <= 2) await describes(withPrograms(...ids.filter(() => below(random, 2) === 0)));
      else await reports(programKey('dhw1', ids[below(random, ids.length)] as string));
      const after = await versions();
      for (const [sk, version] of Object.entries(after)) {
        if (before[sk] === undefined) expect(version).toBeGreaterThan(highest.get(sk) ?? 0);
        highest.set(sk, version);
      }
      before = after;
    }
    expect(highest.size).toBe(ids.length);
  });

  test('keeps as many as the limit allows if its descriptions list only the one of the circulation pump', async () => {
    const { describes, reports, programKey, inventory, versions } = openScene();
    const ids = first(maxTimeProgramsPerCircuit + 10);
    for (const id of ids) {
      await describes(withCirculation(id));
      expect(await reports(programKey('dhw1', id))).toEqual({ outcome: 'applied' });
    }
    const newest = ids.slice(-maxTimeProgramsPerCircuit).map((id) => programKey('dhw1', id).sk);
    const { absentAtMs } = await inventory();
    expect(
      Object.keys(absentAtMs)
        .filter((sk) => sk.startsWith('PROGRAM#'))
        .toSorted(),
    ).toEqual(newest.toSorted());
    expect(Object.keys(await versions()).toSorted()).toEqual(newest.toSorted());
  });
});

describe('reports create no more than the limits allow', () => {
  const ofCircuit = `/data/circuitId: Expected one of the ${maxCircuits} circuits of the gateway, or a circuit that its newest description lists.`;
  const ofProgram = `/data/timeProgramId: Expected one of the ${maxTimeProgramsPerCircuit} time programs of the circuit, or one that the newest description of its gateway lists.`;

  test('circuits of a gateway, also by their time programs; those that a description lists come in addition', async () => {
    const { describes, reports, circuitKey, programKey, versions } = openScene();
    await describes();
    for (const [index, circuitId] of first(maxCircuits).entries())
      expect(await reports(index % 2 === 0 ? circuitKey(circuitId) : programKey(circuitId, '1'))).toEqual({
        outcome: 'applied',
      });
    for (const key of [circuitKey('other'), programKey('other', '1')])
      expect(await reports(key)).toEqual({ outcome: 'noted', unused: ofCircuit });
    // The other circuits exist already.
    for (const key of [circuitKey('n1'), programKey('n0', '1'), circuitKey('n0')])
      expect(await reports(key)).toEqual({ outcome: 'applied' });
    expect(Object.keys(await versions())).toHaveLength(maxCircuits + 2);
    await describes(first(maxCircuits).map((id) => ({ family: 'dhw', circuitId: `listed-${id}` })));
    expect(await reports(circuitKey('n0'))).toEqual({ outcome: 'noted', unused: ofCircuit });
    for (const id of first(maxCircuits))
      expect(await reports(circuitKey(`listed-${id}`))).toEqual({ outcome: 'applied' });
    expect(Object.keys(await versions())).toHaveLength(maxCircuits);
  });

  test('time programs of a circuit, each circuit for itself', async () => {
    const { describes, reports, circuitKey, programKey } = openScene();
    await describes([{ family: 'dhw', circuitId: 'dhw1' }]);
    for (const id of first(maxTimeProgramsPerCircuit))
      expect(await reports(programKey('dhw1', id))).toEqual({ outcome: 'applied' });
    expect(await reports(programKey('dhw1', 'other'))).toEqual({ outcome: 'noted', unused: ofProgram });
    for (const key of [programKey('dhw1', 'n0'), circuitKey('dhw1'), programKey('dhw2', 'other')])
      expect(await reports(key)).toEqual({ outcome: 'applied' });
    await describes(withCirculation('other'));
    expect(await reports(programKey('dhw1', 'other'))).toEqual({ outcome: 'applied' });
  });

  test('also if two reports take the last place at once', async () => {
    const { describes, reports, circuitKey, versions } = openScene();
    await describes();
    for (const circuitId of first(maxCircuits - 1)) await reports(circuitKey(circuitId));
    // After the first one has counted the items.
    const overtaken = overtakenBy(world.store, () => reports(circuitKey('faster')));
    expect(await reports(circuitKey('slower'), overtaken)).toEqual({ outcome: 'noted', unused: ofCircuit });
    expect(Object.keys(await versions())).toHaveLength(maxCircuits);
    expect(await versions()).toHaveProperty(['CIRCUIT#dhw#faster']);
  });
});
