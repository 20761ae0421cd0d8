import { randomUUID } from 'node:crypto';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import { type EnergyReport, energyItemKey, readEnergy, reportEnergy } from '../../../lambdas/data/appliances/energy.ts';
import { describeGateway, removeGateway } from '../../../lambdas/data/appliances/gateways.ts';
import type { Store } from '../../../lambdas/data/store/store.ts';
import { factTimesAt, readStored } from '../../support/appliance.ts';
import { consistencyOf, killedAt, overtakenBy } from '../../support/store.ts';
import { openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const plate = {
  name: 'Cellar',
  type: 'heat-pump',
  components: [],
  circuits: [],
  limits: { maxSwitchPoints: 10, maxSwitchPointsPerDay: 4, switchPointRasterMinutes: 10 },
};

/** A gateway that was described a second before `startMs`; all times are milliseconds after `startMs`. */
const openScene = async () => {
  const gatewayId = `gw-${randomUUID()}`;
  const describes = (afterMs: number) =>
    describeGateway(world.store, { ...plate, gatewayId }, factTimesAt(startMs + afterMs));
  await describes(-1000);
  return {
    gatewayId,
    describes,
    removes: async (afterMs: number, by: Store = world.store) =>
      (await removeGateway(by, gatewayId, factTimesAt(startMs + afterMs))).outcome,
    /** Reports the heat of a day. */
    reports: async (day: string, heatKwh: number, afterMs: number, by: Store = world.store) =>
      (await reportEnergy(by, gatewayId, heatOf(day, heatKwh), factTimesAt(startMs + afterMs))).outcome,
    /** Returns the heat of each day that is known. */
    heat: async (from = '2034-01-01', to = '2037-12-31') =>
      Object.fromEntries(
        (await readEnergy(world.store, gatewayId, { from, to })).map(({ day, heating }) => [day, heating.heatKwh]),
      ),
  };
};

const heatOf = (day: string, heatKwh: number): EnergyReport => ({ day, heating: { heatKwh } });

describe('a report of the energy of a day', () => {
  test('is stored if it is newer than the stored one; an older report or one of the same time is stale', async () => {
    const { reports, heat } = await openScene();
    expect(await reports('2036-03-09', 2, 2)).toBe('applied');
    for (const afterMs of [1, 2]) expect(await reports('2036-03-09', 7, afterMs)).toBe('stale');
    expect(await heat()).toEqual({ '2036-03-09': 2 });
    expect(await reports('2036-03-09', 3, 3)).toBe('applied');
    // Days are ordered separately.
    expect(await reports('2036-03-08', 8, 1)).toBe('applied');
    expect(await heat()).toEqual({ '2036-03-08': 8, '2036-03-09': 3 });
  });

  test('replaces all values of its day, shows unmeasured values as null, and rounds to watt-hours', async () => {
    const { gatewayId } = await openScene();
    const reportDay = (given: EnergyReport, afterMs: number) =>
      reportEnergy(world.store, gatewayId, given, factTimesAt(startMs + afterMs));
    const day = '2036-03-09';
    await reportDay(
      { day, heating: { electricityKwh: 4, heatKwh: 12 }, dhw: { electricityKwh: 1 }, cooling: { fuelKwh: 2 } },
      1,
    );
    await reportDay({ day, heating: { fuelKwh: 0.1 + 0.2, heatKwh: null }, dhw: { heatKwh: 1e-320 } }, 2);
    const none = { electricityKwh: null, fuelKwh: null, heatKwh: null };
    expect(await readEnergy(world.store, gatewayId, { from: day, to: day })).toEqual([
      {
        day,
        heating: { ...none, fuelKwh: 0.3 },
        dhw: { ...none, heatKwh: 0 },
        cooling: null,
        reportedAtMs: startMs + 2,
      },
    ]);
  });

  test('of a day that is no longer kept is stale, and of the oldest day that is kept is not', async () => {
    const { reports, heat } = await openScene();
    expect(await reports('2034-03-09', 1, 1)).toBe('stale');
    expect(await reports('2034-03-10', 2, 1)).toBe('applied');
    expect(await heat()).toEqual({ '2034-03-10': 2 });
  });

  test('is stored in one item for each month, which expires when its last day is no longer kept', async () => {
    const { gatewayId, reports } = await openScene();
    await reports('2036-01-31', 1, 1);
    await reports('2036-02-01', 1, 1);
    const months = await Promise.all(
      ['2036-01-31', '2036-02-01'].map((day) => readStored(world.store, energyItemKey(gatewayId, day))),
    );
    expect(months.map((month) => Object.keys(month?.days ?? {}))).toEqual([['31'], ['01']]);
    const dayMs = 86_400_000;
    expect(months.map((month) => new Date(Number(month?.removeAt) * 1000 - 731 * dayMs).toISOString())).toEqual([
      '2036-02-01T00:00:00.000Z',
      '2036-03-01T00:00:00.000Z',
    ]);
  });

  test('costs one write, except for the first report of a month', async () => {
    const { reports } = await openScene();
    await reports('2036-03-01', 1, 1);
    world.proxy.begin();
    await reports('2036-03-02', 1, 1);
    expect(world.proxy.exchanges.map(({ action }) => action)).toEqual(['UpdateItem']);
  });

  test('that is the first of its month, concurrent with another one, loses neither', async () => {
    const { reports, heat } = await openScene();
    const overtaken = overtakenBy(world.store, () => reports('2036-03-02', 2, 1));
    expect(await reports('2036-03-01', 1, 1, overtaken)).toBe('applied');
    expect(await heat()).toEqual({ '2036-03-01': 1, '2036-03-02': 2 });
  });

  test('of an undescribed gateway waits for its description', async () => {
    const { outcome } = await reportEnergy(world.store, 'gw-nobody', heatOf('2036-03-09', 1), factTimesAt(startMs));
    expect(outcome).toBe('gateway-not-found');
  });
});

describe('the days of a period', () => {
  test('are only its own, in their order, across months, however many are missing', async () => {
    const { reports, heat } = await openScene();
    const days = ['2035-12-31', '2035-11-30', '2036-01-01', '2036-02-29', '2036-03-10', '2034-12-01'];
    for (const [index, day] of days.entries()) await reports(day, index, 1);
    expect(Object.keys(await heat())).toEqual(days.toSorted());
    expect(await heat('2035-12-31', '2036-01-01')).toEqual({ '2035-12-31': 0, '2036-01-01': 2 });
    expect(await heat('2035-12-30', '2035-12-31')).toEqual({ '2035-12-31': 0 });
    expect(await heat('2036-01-02', '2036-02-28')).toEqual({});
    expect(await heat('2036-01-02', '2036-01-01')).toEqual({});
    expect(await heat('2036-03-10', '9999-12-31')).toEqual({ '2036-03-10': 4 });
  });

  test('are read strongly consistent, with no more items than the period has months', async () => {
    const { gatewayId, reports } = await openScene();
    for (const month of ['01', '02', '03']) await reports(`2036-${month}-01`, 1, 1);
    const period = { from: '2036-01-31', to: '2036-02-01' };
    expect(await consistencyOf(async () => void (await readEnergy(world.store, gatewayId, period)))).toEqual([true]);
    expect(world.proxy.exchanges.map(({ input }) => input.Limit)).toEqual([2]);
  });
});

describe('the removal of a gateway', () => {
  test('deletes its energy; a late report brings nothing back, even after another installation', async () => {
    const { gatewayId, describes, reports, removes, heat } = await openScene();
    for (const day of ['2036-03-08', '2036-03-09', '2036-02-01']) await reports(day, 1, 1);
    expect(await removes(2)).toBe('applied');
    expect(await readStored(world.store, energyItemKey(gatewayId, '2036-03-09'))).toBeUndefined();
    expect(await reports('2036-03-09', 7, 2)).toBe('stale');
    expect(await reports('2036-03-09', 7, 3)).toBe('gateway-not-found');
    await describes(4);
    expect(await reports('2036-03-09', 7, 2)).toBe('stale');
    expect(await heat()).toEqual({});
    expect(await reports('2036-03-09', 8, 3)).toBe('applied');
    // The item has the removal from its first day on.
    expect(await reports('2036-03-08', 7, 2)).toBe('stale');
    expect(await heat()).toEqual({ '2036-03-09': 8 });
  });

  test('that arrives late deletes the days that were reported before it, and keeps later reports', async () => {
    const { describes, reports, removes, heat } = await openScene();
    await describes(9);
    await reports('2036-03-07', 1, 3);
    await reports('2036-03-08', 2, 4);
    await reports('2036-03-09', 3, 5);
    expect(await removes(4)).toBe('applied');
    expect(await heat()).toEqual({ '2036-03-09': 3 });
    expect(await reports('2036-03-08', 7, 4)).toBe('stale');
    expect(await reports('2036-03-08', 8, 5)).toBe('applied');
    // A removal that is even older changes nothing more.
    expect(await removes(2)).toBe('stale');
    expect(await reports('2036-03-07', 7, 4)).toBe('stale');
    expect(await heat()).toEqual({ '2036-03-08': 8, '2036-03-09': 3 });
  });

  test('keeps later reports that arrive meanwhile, whether it deletes or updates the item', async () => {
    const { describes, reports, removes, heat } = await openScene();
    await reports('2036-03-01', 1, 1);
    await describes(9);
    // The first transaction is that of the inventory.
    await removes(
      2,
      overtakenBy(world.store, () => reports('2036-03-02', 2, 5), 2),
    );
    expect(await heat()).toEqual({ '2036-03-02': 2 });
    await removes(
      3,
      overtakenBy(world.store, () => reports('2036-03-03', 3, 5), 2),
    );
    expect(await heat()).toEqual({ '2036-03-02': 2, '2036-03-03': 3 });
  });

  test('and a concurrent removal leave nothing from before either of them', async () => {
    const { describes, reports, removes, heat } = await openScene();
    await describes(9);
    await reports('2036-03-01', 1, 4);
    await reports('2036-03-02', 2, 8);
    await removes(
      3,
      overtakenBy(world.store, () => removes(5), 2),
    );
    expect(await heat()).toEqual({ '2036-03-02': 2 });
    expect(await reports('2036-03-01', 7, 5)).toBe('stale');
    // Neither removal has a day to delete, and both store their time in the item.
    await removes(
      6,
      overtakenBy(world.store, () => removes(7), 2),
    );
    expect(await reports('2036-03-01', 7, 7)).toBe('stale');
  });

  test('that overtakes the first report of a month keeps it from creating an item', async () => {
    const { reports, removes, heat } = await openScene();
    expect(
      await reports(
        '2036-03-01',
        1,
        1,
        overtakenBy(world.store, () => removes(2)),
      ),
    ).toBe('stale');
    expect(await heat()).toEqual({});
  });

  test('that overtakes a report of a later day of a month makes it stale', async () => {
    const { reports, removes, heat } = await openScene();
    await reports('2036-03-01', 1, 1);
    const overtaken = overtakenBy(world.store, () => removes(2), 1, UpdateCommand);
    expect(await reports('2036-03-02', 1, 1, overtaken)).toBe('stale');
    expect(await heat()).toEqual({});
  });

  test('is completed by the next delivery of its message, wherever it was interrupted', async () => {
    for (const isCallMade of [true, false])
      for (let ordinal = 0; ; ordinal++) {
        const { reports, removes, heat } = await openScene();
        await reports('2036-02-01', 1, 1);
        await reports('2036-03-01', 1, 1);
        const mortal = killedAt(world.store, ordinal, isCallMade);
        const isDead = await removes(2, mortal).then(
          () => false,
          () => true,
        );
        await removes(2);
        expect([await heat(), await reports('2036-03-01', 7, 2)], `killed at ${ordinal}`).toEqual([{}, 'stale']);
        if (!isDead) break;
      }
  });
});
