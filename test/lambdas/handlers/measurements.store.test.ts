import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { removeGateway } from '../../../lambdas/data/appliances/gateways.ts';
import { applyGrant, grantGateway } from '../../../lambdas/data/contracts/grants.ts';
import { factTimesAt, installGateway } from '../../support/appliance.ts';
import { addOwner, call, equipCompany, goodCall } from '../../support/call.ts';
import { eventLike, take } from '../../support/messages.ts';
import { operatorActOn } from '../../support/store.ts';
import { openWorld, partiesOf, startMs } from '../../support/world.ts';

let world: Awaited<ReturnType<typeof openWorld>>;
beforeAll(async () => {
  world = await openWorld();
});

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** Returns a company with a gateway that was granted a month ago, whose appliance reports. */
const openScene = async () => {
  const company = await equipCompany(world.store, { sinceMs: 0, consentGivenSinceMs: 0 });
  const { gatewayId } = await installGateway(world.store);
  await grantGateway(world.store, partiesOf(company.companyId), gatewayId, startMs - 30 * dayMs);
  return {
    company,
    gatewayId,
    report: async (measurements: unknown, timeMs = startMs) => {
      const event = eventLike('measurements.reported.v1', {
        subject: gatewayId,
        id: randomUUID(),
        timeMs,
        data: { measurements },
      });
      return (await take('takeGatewayReports', [event], { arrivedAtMs: timeMs })).logged[0];
    },
    ask: (nowMs = startMs) =>
      call('getMeasurements', { ...goodCall('getMeasurements', company), pathParameters: { gatewayId }, nowMs }),
  };
};

describe('GET /hvacs/{gatewayId}/measurements', () => {
  test('shows the newest of each name and component, known or not, in the order of names', async () => {
    const { gatewayId, report, ask } = await openScene();
    const before = new Date(startMs - minuteMs).toISOString();
    await report([
      { name: 'waterPressure', value: 1600, unit: 'mbar' },
      { name: 'outdoorTemperature', value: 3, measuredAt: before },
      { name: 'fanSpeed', componentId: '1', value: 620, unit: 'rpm' },
    ]);
    await report(
      [
        { name: 'compressor', value: true },
        { name: 'waterPressure', value: null },
        { name: 'outdoorTemperature', value: 2, measuredAt: new Date(startMs - 2 * minuteMs).toISOString() },
      ],
      startMs + 500,
    );
    const none = { componentId: null, value: null, unit: null, state: null };
    expect((await ask()).body).toEqual({
      gatewayId,
      connectivity: 'online',
      connectivitySince: '2036-03-09T12:00:00Z',
      measurements: [
        { ...none, name: 'compressor', state: 'on', measuredAt: '2036-03-10T12:00:00.500Z' },
        {
          ...none,
          name: 'fanSpeed',
          componentId: '1',
          value: 620,
          unit: 'rpm',
          measuredAt: '2036-03-10T12:00:00Z',
        },
        { ...none, name: 'outdoorTemperature', value: 3, unit: 'celsius', measuredAt: '2036-03-10T11:59:00Z' },
        { ...none, name: 'waterPressure', unit: 'bar', measuredAt: '2036-03-10T12:00:00.500Z' },
      ],
    });
  });

  test('is empty for an appliance that reports no measurements, and leaves out a measurement of a week ago', async () => {
    const { report, ask } = await openScene();
    expect((await ask()).body.measurements).toEqual([]);
    await report([{ name: 'burner', state: 'off' }], startMs + minuteMs);
    expect((await ask(startMs + 2 * minuteMs)).body.measurements).toHaveLength(1);
    expect((await ask(startMs + minuteMs + 7 * dayMs - 1)).body.measurements).toHaveLength(1);
    expect((await ask(startMs + minuteMs + 7 * dayMs)).body.measurements).toEqual([]);
  });

  test('shows nothing that was measured before the owner granted the gateway', async () => {
    const { company, gatewayId, report, ask } = await openScene();
    const next = await addOwner(world.store, company, { consentGivenSinceMs: 0 });
    await report([
      { name: 'burner', state: 'on' },
      { name: 'waterPressure', value: 1.5 },
    ]);
    const grant = { userId: next.contract.userId, gatewayId, isGranted: true };
    await applyGrant(world.store, operatorActOn(company.companyId, startMs + minuteMs), grant);
    await report([{ name: 'burner', state: 'off' }], startMs + 2 * minuteMs);
    const headers = { 'x-user-id': [next.contract.userId] };
    const good = { ...goodCall('getMeasurements', company), headers, pathParameters: { gatewayId } };
    const { body } = await call('getMeasurements', { ...good, nowMs: startMs + 3 * minuteMs });
    expect(body.measurements).toMatchObject([{ name: 'burner', state: 'off' }]);
    expect((await ask(startMs + 3 * minuteMs)).status).toBe(403);
  });

  test('is 404 after the removal of the gateway', async () => {
    const { gatewayId, report, ask } = await openScene();
    await report([{ name: 'burner', state: 'on' }]);
    await removeGateway(world.store, gatewayId, factTimesAt(startMs + 1));
    expect((await ask(startMs + minuteMs)).body).toMatchObject({ status: 404, code: 'gateway-not-found' });
  });
});

describe('a report', () => {
  test('is applied without the measurements that cannot be used, which the log names', async () => {
    const { report, ask } = await openScene();
    const logged = await report([
      { name: 'waterPressure', value: 'high' },
      { name: 'flowTemperature', value: { celsius: 30 } },
      'compressor on',
      { value: 3 },
      { name: 'returnTemperature', value: 28, measuredAt: 'noon' },
      { name: 'electricPower', value: 1.2, unit: 'kW' },
    ]);
    expect(logged).toMatchObject({
      outcome: 'applied-in-part',
      expected: expect.stringMatching(
        /measurements\/1\/value: .*measurements\/2: .*measurements\/3\/name: .*measurements\/4\/measuredAt: .*\/data\/measurements: Expected of waterPressure a number\./,
      ),
    });
    expect((await ask()).body.measurements).toMatchObject([{ name: 'electricPower', value: 1200 }]);
  });

  test.each([[undefined], [null], [[]], ['all fine'], [[{ name: 'waterPressure', value: 'high' }]]])(
    'with %j is noted',
    async (measurements) => {
      const { report } = await openScene();
      expect(await report(measurements)).toMatchObject({ outcome: 'noted' });
    },
  );
});
