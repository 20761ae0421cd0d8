import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { circuitItemKey, gatewayItemKey } from '../../../lambdas/data/appliances/appliances.ts';
import { energyItemKey, reportEnergy } from '../../../lambdas/data/appliances/energy.ts';
import { describeGateway, removeGateway } from '../../../lambdas/data/appliances/gateways.ts';
import { hoursItemKey, reportHour } from '../../../lambdas/data/appliances/hourly-energy.ts';
import { inventoryItemKey } from '../../../lambdas/data/appliances/inventory.ts';
import { measurementsItemKey, reportMeasurements } from '../../../lambdas/data/appliances/measurements.ts';
import { report } from '../../../lambdas/data/appliances/reports.ts';
import { usableMeasurements } from '../../../lambdas/domain/measurement.ts';
import type { Item } from '../../../operator/restore/row-copy.ts';
import { copyRows } from '../../../operator/restore/table-copy.ts';
import { factTimesAt, readStored } from '../../support/appliance.ts';
import { changedConcurrently, copyAll, copyTools, findRow, loseRow, putRow } from '../../support/restore.ts';
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

  test('a circuit from before a removal that only the gateway still has, also in a plan', async () => {
    const { restored, describes, removes, lose } = await openScene();
    await removes(3);
    await describes(4, []);
    await lose('inventory');
    const pairs = [restored.circuit, restored.inventory].map((row) => ({ restored: row, own: undefined }));
    const plan = await copyRows(copyTools(), 'Appliances', pairs, true);
    expect(plan.map(({ kind }) => kind)).toEqual(['copied', 'left']);
    // The inventory may be on a later page.
    expect(await copyAll('Appliances', [restored.circuit])).toEqual(['removed since']);
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

test.each([
  ['known', async () => undefined],
  ['lost, too', (scene: Awaited<ReturnType<typeof openScene>>) => scene.lose('inventory')],
])('restores nothing of a gateway that is removed concurrently; its inventory is %s', async (_, prepare) => {
  const scene = await openScene();
  await scene.lose('circuit');
  await prepare(scene);
  expect(await copyAll('Appliances', [scene.restored.circuit], { meanwhile: () => scene.removes(3) })).toEqual([
    changedConcurrently,
  ]);
  expect(await scene.readAll()).toMatchObject({ circuit: undefined, gateway: undefined });
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

test('measurements are not restored: the gateway reports them again', async () => {
  const { restored } = await openScene();
  const { gatewayId } = restored.gateway as { gatewayId: string };
  const key = measurementsItemKey(gatewayId);
  const { usable } = usableMeasurements([{ name: 'burner', state: 'on' }], startMs);
  await reportMeasurements(world.store, gatewayId, usable, factTimesAt(startMs));
  const row = (await readStored(world.store, key)) as Item;
  await loseRow('Appliances', key);
  expect(await copyAll('Appliances', [row])).toEqual(['same']);
  expect(await readStored(world.store, key)).toBeUndefined();
});

const energies = {
  'a month of energy': {
    given: ['2036-03-01', '2036-03-02', '2036-03-03'],
    names: ['01', '02'],
    attribute: 'days',
    keyOf: energyItemKey,
    report: (gatewayId: string, day: string, at: number) =>
      reportEnergy(world.store, gatewayId, { day }, factTimesAt(startMs + at)),
  },
  'a day of hourly energy': {
    given: ['2036-03-10T01:00:00Z', '2036-03-10T02:00:00Z', '2036-03-10T03:00:00Z'],
    names: ['01:00', '02:00'],
    attribute: 'hours',
    keyOf: hoursItemKey,
    report: (gatewayId: string, start: string, at: number) =>
      reportHour(world.store, gatewayId, { start }, factTimesAt(startMs + at)),
  },
} as const;

describe.each(Object.entries(energies))('%s', (_, { given, names, attribute, keyOf, report }) => {
  const [one, other, third] = given;
  const partsOf = (item: Item) => Object.keys(item[attribute] as object).toSorted();

  /** An item with two parts, reported at 3 and 5 ms. */
  const openItem = async () => {
    const scene = await openScene();
    const { gatewayId } = scene.restored.gateway as { gatewayId: string };
    const key = keyOf(gatewayId, one);
    const tells = (part: string, at: number) => report(gatewayId, part, at);
    const read = async () => (await readStored(world.store, key)) as Item;
    await tells(one, 3);
    await tells(other, 5);
    return { ...scene, tells, read, restored: await read(), lose: () => loseRow('Appliances', key) };
  };

  test('is restored if it is lost', async () => {
    const { restored, lose, read } = await openItem();
    await lose();
    expect(await copyAll('Appliances', [restored])).toEqual(['copied']);
    expect(await read()).toEqual(restored);
    expect(await copyAll('Appliances', [restored], { own: [await read()] })).toEqual(['same']);
  });

  test('gets back the parts that no later report contains', async () => {
    const { restored, tells, lose, read } = await openItem();
    await lose();
    await tells(other, 7);
    const own = await read();
    expect(await copyAll('Appliances', [restored], { own: [own] })).toEqual(['copied']);
    const [first, second] = names;
    const [before, since] = [restored[attribute], own[attribute]] as Record<string, object>[];
    expect((await read())[attribute]).toEqual({ [first]: before?.[first], [second]: since?.[second] });
  });

  test('gets back only the parts after a removal', async () => {
    const { restored, describes, removes, tells, lose, read } = await openItem();
    await describes(9, []);
    await removes(4);
    const inventory = await findRow('Appliances', inventoryItemKey(String(restored.gatewayId)));
    await loseRow('Appliances', inventory ?? {});
    await lose();
    // The gateway still has the removal.
    expect(await copyAll('Appliances', [restored])).toEqual(['copied']);
    expect(partsOf(await read())).toEqual([names[1]]);
    await putRow('Appliances', inventory ?? {});
    await lose();
    expect(await copyAll('Appliances', [restored])).toEqual(['copied']);
    expect(await read()).toMatchObject({ removedAtMs: startMs + 4 });
    expect(partsOf(await read())).toEqual([names[1]]);
    expect(await tells(one, 4)).toEqual({ outcome: 'stale' });
    await removes(5);
    expect(await copyAll('Appliances', [restored])).toEqual(['removed since']);
  });

  test('is not restored for a removed gateway, even if reported after the removal', async () => {
    const { restored, removes } = await openItem();
    await removes(4);
    expect(await copyAll('Appliances', [restored])).toEqual(['removed since']);
  });

  test.each([attribute, 'receivedAtMs', 'removedAtMs', 'removeAt'])(
    'is not overwritten if its %s changes concurrently',
    async (name) => {
      const { restored, tells, lose, read } = await openItem();
      await lose();
      await tells(other, 7);
      const own = await read();
      const changed = { ...own, [name]: name === attribute ? {} : 1 };
      const meanwhile = () => putRow('Appliances', changed);
      expect(await copyAll('Appliances', [restored], { own: [own], meanwhile })).toEqual([changedConcurrently]);
      expect(await read()).toEqual(changed);
    },
  );

  test.each([
    ['is lost', false],
    ['lacks a part', true],
  ])('does not overwrite a concurrent report or removal, where the item %s', async (_, hasOwn) => {
    for (const act of ['tells', 'removes'] as const) {
      const { restored, tells, removes, lose, read } = await openItem();
      await lose();
      if (hasOwn) await tells(other, 7);
      const own = hasOwn ? [await read()] : [];
      const meanwhile = () => (act === 'tells' ? tells(third, 8) : removes(8));
      expect(await copyAll('Appliances', [restored], { own, meanwhile }), act).toEqual([changedConcurrently]);
    }
  });
});
