import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { circuitItemKey, gatewayItemKey } from '../../../lambdas/data/appliances/appliances.ts';
import { describeGateway, removeGateway } from '../../../lambdas/data/appliances/gateways.ts';
import { inventoryItemKey } from '../../../lambdas/data/appliances/inventory.ts';
import { listOpenChanges, requestAttributes } from '../../../lambdas/data/appliances/open-since-index.ts';
import { partsPrefix } from '../../../lambdas/data/appliances/parts-items.ts';
import { report } from '../../../lambdas/data/appliances/reports.ts';
import type { Item } from '../../../operator/restore/row-copy.ts';
import { copyRows } from '../../../operator/restore/table-copy.ts';
import { factTimesAt, openCircuitScene, readStored } from '../../support/appliance.ts';
import { eventLike, periodReports, readGatewayRows, take } from '../../support/messages.ts';
import { changedConcurrently, copyAll, copyTools, loseRow } from '../../support/restore.ts';
import { consistencyOf } from '../../support/store.ts';
import { openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

type Rows = Readonly<Record<'gateway' | 'circuit' | 'inventory', Item>>;
const kinds = ['circuit', 'gateway', 'inventory'] as const;

/** A gateway with one circuit, reported at 1 and 2 ms, and its rows at that time. */
const openScene = async () => {
  const gatewayId = `gw-${randomUUID()}`;
  const keys = {
    circuit: circuitItemKey(gatewayId, 'heating', 'hc1'),
    gateway: gatewayItemKey(gatewayId),
    inventory: inventoryItemKey(gatewayId),
  };
  const describes = (at: number, circuitIds: readonly string[]) => {
    const circuits = circuitIds.map((circuitId) => ({ family: 'heating' as const, circuitId, timeProgramIds: [] }));
    const plate = { name: 'Cellar', type: 'heat-pump', components: [], limits: {} };
    return describeGateway(world.store, { ...plate, gatewayId, circuits } as never, factTimesAt(startMs + at));
  };
  const reports = (at: number) => {
    return report(
      world.store,
      keys.circuit,
      { ids: { circuitId: 'hc1' }, reported: { at } },
      factTimesAt(startMs + at),
    );
  };
  const read = async (kind: (typeof kinds)[number]) => (await readStored(world.store, keys[kind])) as Item;
  const readAll = async () =>
    ({ circuit: await read('circuit'), gateway: await read('gateway'), inventory: await read('inventory') }) as Rows;
  await describes(1, ['hc1']);
  await reports(2);
  return {
    describes,
    reports,
    readAll,
    restored: await readAll(),
    removes: (at: number) => removeGateway(world.store, gatewayId, factTimesAt(startMs + at)),
    lose: (kind: (typeof kinds)[number]) => loseRow('Appliances', keys[kind]),
  };
};

test('restores all rows of a gateway that has lost all of them, in one run', async () => {
  const { restored, lose, readAll } = await openScene();
  for (const kind of kinds) await lose(kind);
  expect(await copyAll('Appliances', Object.values(restored))).toEqual(['copied', 'copied', 'copied']);
  expect(await readAll()).toEqual(restored);
});

test('restores the rows of a gateway that still has its inventory', async () => {
  const { restored, lose, readAll } = await openScene();
  await lose('gateway');
  await lose('circuit');
  expect(await copyAll('Appliances', [restored.gateway, restored.circuit])).toEqual(['copied', 'copied']);
  expect(await readAll()).toEqual(restored);
});

describe('does not restore what was reported as removed since', () => {
  test('a removed gateway with its circuits', async () => {
    const { restored, removes, readAll } = await openScene();
    await removes(3);
    const own = await readAll();
    expect(await copyAll('Appliances', Object.values(restored), { own: Object.values(own) })).toEqual([
      'same',
      'removed since',
      'removed since',
    ]);
    expect(await readAll()).toEqual(own);
  });

  test('a removed circuit, but restores its gateway', async () => {
    const { restored, describes, lose, readAll } = await openScene();
    await describes(3, []);
    await lose('gateway');
    expect(await copyAll('Appliances', [restored.gateway, restored.circuit])).toEqual(['copied', 'removed since']);
    expect(await readAll()).toMatchObject({ gateway: restored.gateway, circuit: undefined });
  });

  test('a circuit that was already lost when its removal was reported', async () => {
    const { restored, describes, lose, readAll } = await openScene();
    await lose('circuit');
    await describes(3, []);
    expect(await copyAll('Appliances', [restored.circuit])).toEqual(['removed since']);
    expect((await readAll()).circuit).toBeUndefined();
  });

  test('a circuit that returned: its next report creates it again, and its versions continue', async () => {
    const { restored, describes, reports, readAll } = await openScene();
    await describes(3, []);
    await describes(4, ['hc1']);
    expect(await copyAll('Appliances', [restored.circuit])).toEqual(['removed since']);
    await reports(6);
    expect((await readAll()).circuit).toMatchObject({ version: 2 });
  });
});

test('restores nothing of a gateway that is removed concurrently', async () => {
  const scene = await openScene();
  await scene.lose('circuit');
  expect(await copyAll('Appliances', [scene.restored.circuit], { meanwhile: () => scene.removes(3) })).toEqual([
    changedConcurrently,
  ]);
  expect(await scene.readAll()).toMatchObject({ circuit: undefined, gateway: undefined });
});

test('the rows of a gateway whose inventory is lost, too, wait for it; a plan counts them', async () => {
  const { restored, lose, readAll } = await openScene();
  for (const kind of kinds) await lose(kind);
  const pairs = [{ restored: restored.circuit, own: undefined }];
  expect(await copyRows(copyTools(), 'Appliances', pairs, true)).toEqual([{ kind: 'copied' }]);
  expect(await copyAll('Appliances', [restored.circuit])).toEqual([changedConcurrently]);
  expect((await readAll()).circuit).toBeUndefined();
});

test('an open request does not come back with its item, which says that it was dropped', async () => {
  const { gatewayId, key, change, stored } = await openCircuitScene(world.store);
  await change({ roomSetpointCelsius: 21 });
  const restored = (await readStored(world.store, key)) as Item;
  expect(await copyAll('Appliances', [restored], { own: [restored] })).toEqual(['same']);
  await loseRow('Appliances', key);
  expect(await copyAll('Appliances', [restored])).toEqual(['copied']);
  const { version } = restored as { version: number };
  const lastDropped = { version, atMs: startMs, reason: 'dropped-by-operator', names: ['roomSetpointCelsius'] };
  expect(await stored()).toMatchObject({ reported: restored.reported, version: version + 1, lastDropped });
  const copied = await readStored(world.store, key);
  for (const name of requestAttributes) expect(copied).not.toHaveProperty(name);
  expect(await listOpenChanges(world.store, gatewayId)).toEqual([]);
});

test('does not overwrite a lost circuit that is reported concurrently', async () => {
  const { restored, lose, reports, readAll } = await openScene();
  await lose('circuit');
  expect(await copyAll('Appliances', [restored.circuit], { meanwhile: () => reports(8) })).toEqual([
    changedConcurrently,
  ]);
  expect((await readAll()).circuit).toMatchObject({ reportedAtMs: startMs + 8 });
});

test('restores a lost inventory, but does not overwrite a concurrent write', async () => {
  const { restored, lose, describes, readAll } = await openScene();
  await lose('inventory');
  expect(await copyAll('Appliances', [restored.inventory], { meanwhile: () => describes(7, ['hc1']) })).toEqual([
    changedConcurrently,
  ]);
  expect((await readAll()).inventory).toMatchObject({ describedAtMs: startMs + 7 });
});

test('reads the inventory strongly consistently', async () => {
  const { restored, lose } = await openScene();
  await lose('circuit');
  const pairs = [{ restored: restored.circuit, own: undefined }];
  expect(await consistencyOf(() => copyRows(copyTools(), 'Appliances', pairs, true))).toEqual([true]);
});

/** The reports whose parts are ordered by times of their own. */
const reportsOfParts = [...periodReports, 'measurements.reported.v1'] as const;

test.each(reportsOfParts)('the row of %s comes back, unless its gateway was removed since', async (type) => {
  const { restored: rows, removes, describes } = await openScene();
  const { gatewayId } = rows.gateway as { gatewayId: string };
  const reports = (at: number) => {
    const timeMs = startMs + at;
    return take('takeGatewayReports', [eventLike(type, { subject: gatewayId, timeMs })], { arrivedAtMs: timeMs });
  };
  await reports(3);
  const [restored] = (await readGatewayRows(gatewayId)).filter(({ sk }) => String(sk).startsWith(partsPrefix)) as [
    Item,
  ];
  const key = { gatewayId, sk: String(restored.sk) };
  const lose = () => loseRow('Appliances', key);
  await lose();
  expect(await copyAll('Appliances', [restored], { meanwhile: () => reports(5) })).toEqual([changedConcurrently]);
  await lose();
  expect([await copyAll('Appliances', [restored]), await readStored(world.store, key)]).toEqual([['copied'], restored]);
  await lose();
  await removes(7);
  expect(await copyAll('Appliances', [restored])).toEqual(['removed since']);
  await describes(9, []);
  expect(await copyAll('Appliances', [restored])).toEqual(['removed since']);
  expect(await readStored(world.store, key)).toBeUndefined();
});
