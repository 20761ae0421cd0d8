import { beforeAll, describe, expect, test } from 'vitest';
import { reportHour } from '../../../lambdas/data/appliances/hourly-energy.ts';
import { applyGrant, grantGateway } from '../../../lambdas/data/contracts/grants.ts';
import { toTimestamp } from '../../../lambdas/domain/time.ts';
import { factTimesAt, installGateway } from '../../support/appliance.ts';
import { addOwner, call, equipCompany, goodCall } from '../../support/call.ts';
import { operatorActOn } from '../../support/store.ts';
import { openWorld, partiesOf, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const hourMs = 3_600_000;

/** Returns a company with a gateway that was granted this many hours ago, and a call for its hours. */
const openScene = async (hoursAgo: number) => {
  const company = await equipCompany(world.store, { sinceMs: 0, consentGivenSinceMs: 0 });
  const { gatewayId } = await installGateway(world.store);
  await grantGateway(world.store, partiesOf(company.companyId), gatewayId, startMs - hoursAgo * hourMs);
  let second = 0;
  return {
    company,
    gatewayId,
    report: (given: Parameters<typeof reportHour>[2], atMs = startMs) =>
      reportHour(world.store, gatewayId, given, factTimesAt(atMs)),
    ask: (query: Readonly<Record<string, string>> = {}) =>
      call('getHourlyEnergy', {
        ...goodCall('getHourlyEnergy', company),
        pathParameters: { gatewayId },
        query: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, [value]])),
        nowMs: startMs + second++ * 10_000,
      }),
  };
};

/** Returns the start of the hour this many hours before `startMs`. */
const ago = (hours: number): string => toTimestamp(startMs - hours * hourMs);

const startsIn = ({ body }: Awaited<ReturnType<typeof call>>) =>
  body.hours.map(({ start }: { start: string }) => start);

describe('GET /hvacs/{gatewayId}/energy/hours', () => {
  test('shows the reported hours, and no others', async () => {
    const { gatewayId, report, ask } = await openScene(30);
    await report({
      start: ago(2),
      heating: { electricityKwh: 0.412, heatKwh: -0.05 },
      dhw: { fuelKwh: 0 },
      cooling: { removedHeatKwh: 3.5 },
    });
    await report({ start: ago(0.5), dhw: { heatKwh: 2 } }, startMs + 1500);
    const none = { electricityKwh: null, fuelKwh: null, heatKwh: null };
    expect((await ask()).body).toEqual({
      gatewayId,
      availableFrom: '2036-03-09T06:00:00Z',
      hours: [
        {
          start: '2036-03-10T10:00:00Z',
          heating: { electricityKwh: 0.412, fuelKwh: null, heatKwh: -0.05 },
          dhw: { ...none, fuelKwh: 0 },
          cooling: { electricityKwh: null, fuelKwh: null, removedHeatKwh: 3.5 },
          reportedAt: '2036-03-10T12:00:00Z',
        },
        {
          start: '2036-03-10T11:30:00Z',
          heating: none,
          dhw: { ...none, heatKwh: 2 },
          cooling: null,
          reportedAt: '2036-03-10T12:00:01.500Z',
        },
      ],
    });
  });

  test('shows 24 hours by default, and at most those of seven days', async () => {
    const { report, ask } = await openScene(400);
    const reported = [190, 168, 167, 30, 24, 23, 12, 1].map(ago);
    for (const [index, start] of reported.entries()) await report({ start }, startMs - 190 * hourMs + index * 1000);
    const [, , ...kept] = reported;
    expect(startsIn(await ask())).toEqual([24, 23, 12, 1].map(ago));
    // Hours past the retention are not shown, even while they are still in the store.
    const all = await ask({ from: '0000-01-01T00:00:00Z', to: '9999-12-31T23:59:59Z' });
    expect(all.body.availableFrom).toBe('2036-03-03T12:00:10Z');
    expect(startsIn(all)).toEqual(kept);
    expect(startsIn(await ask({ from: '2036-03-09T13:00:00+01:00', to: ago(12) }))).toEqual([24, 23].map(ago));
    expect(startsIn(await ask({ to: ago(12) }))).toEqual([30, 24, 23].map(ago));
    expect(startsIn(await ask({ from: ago(12) }))).toEqual([12, 1].map(ago));
    expect(startsIn(await ask({ from: ago(12), to: ago(12) }))).toEqual([]);
    expect(startsIn(await ask({ from: '2037-01-01T00:00:00Z' }))).toEqual([]);
  });

  test('begins with the hour at `from` and ends before the hour at `to`, at any time of the day', async () => {
    const { report, ask } = await openScene(30);
    const reported = Array.from({ length: 25 }, (_, index) => 25 - index);
    for (const hours of reported) await report({ start: ago(hours) }, startMs - hours * hourMs);
    for (const [from, to] of [[25, 1], [24.5, 0.5], ...reported.map((hours) => [hours, hours - 1])] as const) {
      const expected = reported.filter((hours) => from >= hours && hours > to);
      expect(startsIn(await ask({ from: ago(from), to: ago(to) })), `${from} to ${to}`).toEqual(expected.map(ago));
    }
  });

  test.each([
    [{ from: ago(1), to: ago(2) }, '/query/to', 'Expected no time before `from`.'],
    [{ from: '2036-03-10' }, '/query/from', 'Expected a time with its offset'],
    [{ to: '2036-03-10T10:00:00' }, '/query/to', 'Expected a time with its offset'],
    [{ from: '2036-03-10T10:00:00 01:00' }, '/query/from', 'write + as %2B'],
    [{ to: '' }, '/query/to', 'Expected a time with its offset'],
    [{ hours: '24' }, '/query/hours', 'Unknown'],
  ])('refuses %j', async (query, pointer, detail) => {
    const { ask } = await openScene(30);
    const { status, body } = await ask(query);
    expect([status, body.errors]).toEqual([400, [{ pointer, detail: expect.stringContaining(detail) }]]);
  });

  test('has no hours of an appliance that reports none', async () => {
    const { ask } = await openScene(30);
    expect((await ask()).body).toMatchObject({ hours: [] });
  });
});

test('hours that had begun at the receipt of a grant are not shown, and belong to the previous owner', async () => {
  const { company, gatewayId, report, ask } = await openScene(30);
  for (const hours of [5, 4, 3, 2]) await report({ start: ago(hours) });
  expect(startsIn(await ask())).toEqual([5, 4, 3, 2].map(ago));

  const { contract } = await addOwner(world.store, company, { consentGivenSinceMs: 0 });
  const act = operatorActOn(company.companyId, startMs - 3.5 * hourMs);
  const grant = { gatewayId, userId: contract.userId, isGranted: true };
  expect(await applyGrant(world.store, act, grant)).toEqual({ outcome: 'applied' });
  expect((await ask()).body.code).toBe('gateway-not-in-contract');
  for (const [index, query] of [{}, { from: [ago(5)] }].entries()) {
    const { body } = await call('getHourlyEnergy', {
      ...goodCall('getHourlyEnergy', company),
      headers: { 'x-user-id': [contract.userId] },
      pathParameters: { gatewayId },
      query,
      nowMs: startMs + (index + 1) * hourMs,
    });
    expect(body.availableFrom).toBe('2036-03-10T08:30:00Z');
    expect(startsIn({ body } as never)).toEqual([3, 2].map(ago));
  }
});
