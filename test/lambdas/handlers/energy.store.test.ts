import { beforeAll, describe, expect, test } from 'vitest';
import { reportEnergy } from '../../../lambdas/data/appliances/energy.ts';
import { applyGrant, grantGateway } from '../../../lambdas/data/contracts/grants.ts';
import { addDays } from '../../../lambdas/domain/energy.ts';
import { factTimesAt, installGateway } from '../../support/appliance.ts';
import { addOwner, call, equipCompany, goodCall } from '../../support/call.ts';
import { operatorActOn } from '../../support/store.ts';
import { openWorld, partiesOf, startMs } from '../../support/world.ts';

type EnergyReport = Parameters<typeof reportEnergy>[2];

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const dayMs = 86_400_000;

/** Returns a company with a gateway that was granted this many days ago, and a call for its energy. */
const openScene = async (daysAgo: number) => {
  const company = await equipCompany(world.store, { sinceMs: 0, consentGivenSinceMs: 0 });
  const { gatewayId } = await installGateway(world.store);
  await grantGateway(world.store, partiesOf(company.companyId), gatewayId, startMs - daysAgo * dayMs);
  let minute = 0;
  return {
    company,
    gatewayId,
    report: (given: EnergyReport, atMs = startMs) => reportEnergy(world.store, gatewayId, given, factTimesAt(atMs)),
    ask: (query: Readonly<Record<string, string>> = {}) =>
      call('getEnergy', {
        ...goodCall('getEnergy', company),
        pathParameters: { gatewayId },
        query: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, [value]])),
        nowMs: startMs + minute++ * 60_000,
      }),
  };
};

const heat = (day: string, heatKwh = 1): EnergyReport => ({ day, heating: { heatKwh } });

const daysIn = ({ body }: Awaited<ReturnType<typeof call>>) => body.days.map(({ day }: { day: string }) => day);

describe('GET /hvacs/{gatewayId}/energy', () => {
  test('shows the reported days, and no others', async () => {
    const { gatewayId, report, ask } = await openScene(30);
    await report({
      day: '2036-03-07',
      heating: { electricityKwh: 7.4, heatKwh: 27.9 },
      dhw: { fuelKwh: 0 },
      cooling: { removedHeatKwh: 3.5 },
    });
    await report(heat('2036-03-09', 3), startMs + 1500);
    const none = { electricityKwh: null, fuelKwh: null, heatKwh: null };
    expect((await ask()).body).toEqual({
      gatewayId,
      availableFrom: '2036-02-10',
      days: [
        {
          day: '2036-03-07',
          heating: { electricityKwh: 7.4, fuelKwh: null, heatKwh: 27.9 },
          dhw: { ...none, fuelKwh: 0 },
          cooling: { electricityKwh: null, fuelKwh: null, removedHeatKwh: 3.5 },
          reportedAt: '2036-03-10T12:00:00Z',
        },
        {
          day: '2036-03-09',
          heating: { ...none, heatKwh: 3 },
          dhw: none,
          cooling: null,
          reportedAt: '2036-03-10T12:00:01.500Z',
        },
      ],
    });
  });

  test('shows 31 days by default, and at most 366', async () => {
    const { report, ask } = await openScene(800);
    for (let index = 0; index < 740; index += 10) await report(heat(addDays('2036-03-10', -index)));
    const all = Array.from({ length: 74 }, (_, index) => addDays('2036-03-10', -10 * index)).toSorted();
    const between = (from: string, to: string) => all.filter((day) => from <= day && day <= to);
    expect(daysIn(await ask())).toEqual(between('2036-02-10', '2036-03-11'));
    expect(daysIn(await ask({ from: '2035-03-11', to: '2036-03-10' }))).toEqual(between('2035-03-11', '2036-03-10'));
    // Days past the retention are not shown, even while they are still in the store.
    expect((await ask({ from: '2034-01-01' })).body).toMatchObject({ availableFrom: '2034-03-10' });
    expect(daysIn(await ask({ from: '2034-01-01' }))).toEqual(between('2034-03-10', '2035-01-01'));
  });

  test.each([
    [{ from: '2036-03-10', to: '2036-03-09' }, '/query/to', 'Expected no day before `from`.'],
    [{ from: '2035-03-10', to: '2036-03-10' }, '/query/to', 'at most 366 days'],
    [{ from: '2036-02-30' }, '/query/from', 'Expected a day like 2026-03-31.'],
    [{ to: '2036-3-1' }, '/query/to', 'Expected a day like 2026-03-31.'],
    [{ to: '' }, '/query/to', 'Expected a day like 2026-03-31.'],
  ])('refuses %j', async (query, pointer, detail) => {
    const { ask } = await openScene(30);
    const { status, body } = await ask(query);
    expect([status, body.errors]).toEqual([400, [{ pointer, detail: expect.stringContaining(detail) }]]);
  });

  test.each([
    [{ from: '9999-12-31' }, { to: '0000-01-01' }],
    [{ from: '0000-01-01' }, { from: '9999-01-01', to: '9999-12-31' }],
  ])('has no days at the ends of the calendar: %j, %j', async (...queries) => {
    const { report, ask } = await openScene(30);
    await report(heat('2036-03-09'));
    for (const query of queries) expect((await ask(query)).body.days).toEqual([]);
  });
});

describe('the days of an owner', () => {
  test('are never shown to a company that the next owner granted access', async () => {
    const { company, gatewayId, report, ask } = await openScene(30);
    for (const day of ['2036-03-07', '2036-03-08', '2036-03-09', '2036-03-10']) await report(heat(day));
    expect(daysIn(await ask())).toEqual(['2036-03-07', '2036-03-08', '2036-03-09', '2036-03-10']);

    const { contract } = await addOwner(world.store, company, { consentGivenSinceMs: 0 });
    const movedAtMs = Date.parse('2036-03-08T20:00:00Z');
    const act = operatorActOn(company.companyId, movedAtMs);
    const grant = { gatewayId, userId: contract.userId, isGranted: true };
    expect(await applyGrant(world.store, act, grant)).toEqual({ outcome: 'applied' });
    expect((await ask()).body.code).toBe('gateway-not-in-contract');
    const shown = [];
    for (const query of [{}, { from: ['2036-03-07'] }, { from: ['2036-03-07'], to: ['2036-03-09'] }]) {
      const answer = await call('getEnergy', {
        ...goodCall('getEnergy', company),
        headers: { 'x-user-id': [contract.userId] },
        pathParameters: { gatewayId },
        query,
        nowMs: startMs + 3_600_000 * (shown.length + 1),
      });
      shown.push([answer.body.availableFrom, daysIn(answer)]);
    }
    expect(shown).toEqual([
      ['2036-03-09', ['2036-03-09', '2036-03-10']],
      ['2036-03-09', ['2036-03-09', '2036-03-10']],
      ['2036-03-09', ['2036-03-09']],
    ]);
  });
});
