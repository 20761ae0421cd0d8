import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { energyItemKey, readEnergy, reportEnergy } from '../../../lambdas/data/appliances/energy.ts';
import { describeGateway } from '../../../lambdas/data/appliances/gateways.ts';
import { hoursItemKey, readHours, reportHour } from '../../../lambdas/data/appliances/hourly-energy.ts';
import { toTimestamp } from '../../../lambdas/domain/time.ts';
import { factTimesAt, readStored } from '../../support/appliance.ts';
import { consistencyOf } from '../../support/store.ts';
import { openWorld, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

/** A gateway that was described a second before `startMs`; all times are milliseconds after `startMs`. */
const openScene = async () => {
  const gatewayId = `gw-${randomUUID()}`;
  await describeGateway(world.store, { gatewayId }, factTimesAt(startMs - 1000));
  return {
    gatewayId,
    reportsDay: (given: Parameters<typeof reportEnergy>[2], afterMs = 1) =>
      reportEnergy(world.store, gatewayId, given, factTimesAt(startMs + afterMs)),
    reportsHour: (given: Parameters<typeof reportHour>[2], afterMs = 1) =>
      reportHour(world.store, gatewayId, given, factTimesAt(startMs + afterMs)),
    days: async (from = '2034-01-01', to = '2037-12-31') =>
      (await readEnergy(world.store, gatewayId, { from, to })).map(({ day }) => day),
    hours: async (from: string, to: string) =>
      (await readHours(world.store, gatewayId, { fromMs: Date.parse(from), toMs: Date.parse(to) })).map((hour) =>
        toTimestamp(hour.startMs),
      ),
  };
};

const none = { electricityKwh: null, fuelKwh: null, heatKwh: null };
const allValues = {
  heating: { electricityKwh: 4, heatKwh: 12 },
  dhw: { electricityKwh: 1 },
  cooling: { fuelKwh: 2 },
} as const;
const otherValues = { heating: { fuelKwh: 0.1 + 0.2, heatKwh: null }, dhw: { heatKwh: 1e-320 } } as const;
const shownOtherValues = { heating: { ...none, fuelKwh: 0.3 }, dhw: { ...none, heatKwh: 0 }, cooling: null };

describe('a report of the energy of a day', () => {
  test('replaces all values of its day, shows unmeasured values as null, and rounds to watt-hours', async () => {
    const { gatewayId, reportsDay } = await openScene();
    const day = '2036-03-09';
    await reportsDay({ day, ...allValues });
    await reportsDay({ day, ...otherValues }, 2);
    expect(await readEnergy(world.store, gatewayId, { from: day, to: day })).toEqual([
      { day, ...shownOtherValues, reportedAtMs: startMs + 2 },
    ]);
  });

  test('is stored in one item for each month, which expires when its last day is no longer kept', async () => {
    const { gatewayId, reportsDay } = await openScene();
    const days = ['2036-01-31', '2036-02-01'];
    for (const day of days) await reportsDay({ day });
    const months = await Promise.all(days.map((day) => readStored(world.store, energyItemKey(gatewayId, day))));
    expect(months.map((month) => Object.keys(month?.days ?? {}))).toEqual([['31'], ['01']]);
    const dayMs = 86_400_000;
    expect(months.map((month) => new Date(Number(month?.removeAt) * 1000 - 731 * dayMs).toISOString())).toEqual([
      '2036-02-01T00:00:00.000Z',
      '2036-03-01T00:00:00.000Z',
    ]);
  });
});

describe('the days of a period', () => {
  test('are only its own, in their order, across months, however many are missing', async () => {
    const { reportsDay, days } = await openScene();
    const reported = ['2035-12-31', '2035-11-30', '2036-01-01', '2036-02-29', '2036-03-10', '2034-12-01'];
    for (const day of reported) await reportsDay({ day });
    expect(await days()).toEqual(reported.toSorted());
    expect(await days('2035-12-31', '2036-01-01')).toEqual(['2035-12-31', '2036-01-01']);
    expect(await days('2035-12-30', '2035-12-31')).toEqual(['2035-12-31']);
    expect(await days('2036-01-02', '2036-02-28')).toEqual([]);
    expect(await days('2036-01-02', '2036-01-01')).toEqual([]);
    expect(await days('2036-03-10', '9999-12-31')).toEqual(['2036-03-10']);
  });

  test('are read strongly consistent, with no more items than the period has months', async () => {
    const { gatewayId, reportsDay } = await openScene();
    for (const month of ['01', '02', '03']) await reportsDay({ day: `2036-${month}-01` });
    const period = { from: '2036-01-31', to: '2036-02-01' };
    expect(await consistencyOf(async () => void (await readEnergy(world.store, gatewayId, period)))).toEqual([true]);
    expect(world.proxy.exchanges.map(({ output }) => output?.Count)).toEqual([2]);
  });
});

describe('a report of the energy of an hour', () => {
  test('replaces all values of its hour, shows unmeasured values as null, and rounds to watt-hours', async () => {
    const { gatewayId, reportsHour } = await openScene();
    const start = '2036-03-10T10:00:00Z';
    const period = { fromMs: Date.parse(start), toMs: startMs };
    await reportsHour({ start, ...allValues });
    const cooling = { electricityKwh: null, fuelKwh: 2, removedHeatKwh: null };
    expect(await readHours(world.store, gatewayId, period)).toMatchObject([
      { heating: { ...none, ...allValues.heating }, dhw: { ...none, ...allValues.dhw }, cooling },
    ]);
    await reportsHour({ start, ...otherValues }, 2);
    expect(await readHours(world.store, gatewayId, period)).toEqual([
      { startMs: Date.parse(start), ...shownOtherValues, reportedAtMs: startMs + 2 },
    ]);
    await reportsHour({ start }, 3);
    expect(await readHours(world.store, gatewayId, period)).toMatchObject([
      { heating: none, dhw: none, cooling: null },
    ]);
  });

  test('is stored in one item for each day, which expires when its last hour is no longer kept', async () => {
    const { gatewayId, reportsHour } = await openScene();
    const starts = ['2036-03-09T23:45:00Z', '2036-03-10T00:00:00Z', '2036-03-10T00:30:00Z'];
    for (const start of starts) await reportsHour({ start });
    const [eve, day] = await Promise.all(
      starts.slice(0, 2).map((start) => readStored(world.store, hoursItemKey(gatewayId, start))),
    );
    expect([eve, day].map((item) => Object.keys(item?.hours ?? {}).toSorted())).toEqual([
      ['23:45'],
      ['00:00', '00:30'],
    ]);
    expect([eve, day].map((item) => toTimestamp(Number(item?.removeAt) * 1000))).toEqual([
      '2036-03-17T00:00:00Z',
      '2036-03-18T00:00:00Z',
    ]);
  });
});

describe('the hours of a period', () => {
  test('start in the period, end excluded, and are in order, across days, however many are missing', async () => {
    const { reportsHour, hours } = await openScene();
    const reported = ['2036-03-10T00:00:00Z', '2036-03-05T12:30:00Z', '2036-03-10T09:00:00Z', '2036-03-09T23:45:00Z'];
    for (const start of reported) await reportsHour({ start });
    expect(await hours('2036-03-01T00:00:00Z', '2036-03-11T00:00:00Z')).toEqual(reported.toSorted());
    expect(await hours('2036-03-05T12:30:00Z', '2036-03-10T00:00:00Z')).toEqual([reported[1], reported[3]]);
    expect(await hours('2036-03-09T23:45:00.001Z', '2036-03-10T00:00:00.001Z')).toEqual([reported[0]]);
    expect(await hours('2036-03-06T00:00:00Z', '2036-03-09T00:00:00Z')).toEqual([]);
    for (const end of ['2036-03-10T00:00:00Z', '2036-03-09T00:00:00Z'])
      expect(await hours('2036-03-10T00:00:00Z', end)).toEqual([]);
  });

  test('are read strongly consistent, with no more items than the period has days', async () => {
    const { gatewayId, reportsHour } = await openScene();
    for (const day of ['07', '08', '09', '10']) await reportsHour({ start: `2036-03-${day}T00:00:00Z` });
    const period = { fromMs: Date.parse('2036-03-08T23:00:00Z'), toMs: Date.parse('2036-03-10T00:00:00Z') };
    expect(await consistencyOf(async () => void (await readHours(world.store, gatewayId, period)))).toEqual([true]);
    expect(world.proxy.exchanges.map(({ output }) => output?.Count)).toEqual([2]);
  });
});
