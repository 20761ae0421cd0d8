import { describe, expect, test } from 'vitest';
import type * as z from 'zod/mini';
import { loadStageConfig } from '../../config/load.ts';
import {
  dhwCircuitBody,
  gatewayBody,
  gatewayPartOf,
  heatingCircuitBody,
  timeProgramBody,
} from '../../lambdas/answers/appliances.ts';
import { dhw, heating } from '../../lambdas/api/endpoints/circuit-endpoints.ts';
import type { InboundEvent } from '../../lambdas/api/inbound-events/inbound-events.ts';
import { type ApplianceFunction, gateway as gatewaySchema } from '../../lambdas/api/schemas/gateway.ts';
import { circuitItemKey, toCircuit } from '../../lambdas/data/appliances/appliances.ts';
import { type SwitchPoint, switchPointFaults } from '../../lambdas/domain/appliance.ts';
import { addDays } from '../../lambdas/domain/energy.ts';
import { appliancesOf } from '../../local/demo/appliances/demo-appliances.ts';
import { fleetAppliances } from '../../local/demo/fleet.ts';
import { blockDurationMs, installedAppliance } from '../../simulator/appliance-state.ts';
import { type EnergyOfDay, energyOn } from '../../simulator/energy-use.ts';
import { circuitsOf, nameplateOf } from '../../simulator/factory-settings.ts';
import { fulfilAfterMs, onlineIntervalMs, settingsOf } from '../../simulator/simulated-appliance.ts';
import { change, install, program, reportOfCircuit, startMs } from './scene.ts';

/** Returns the hours of energy among reports. */
const hoursIn = (
  reports: ReturnType<ReturnType<typeof install>['step']>,
): InboundEvent<'hourly-energy.reported.v1'>['data'][] =>
  reports.flatMap(({ type, data }) => (type === 'hourly-energy.reported.v1' ? [data as never] : []));

describe('readings', () => {
  test('are reported only when they differ by half a degree from the last report', () => {
    const { step } = install();
    // The tank is at eco and loses 0.1 K per reading.
    const reported = Array.from({ length: 10 }, (_, index) => step((index + 1) * 10_000)).map((reports) =>
      reports.flatMap(({ data: { circuitId, reported: { waterTemperatureCelsius } = {} } }) =>
        circuitId === 'dhw1' ? [waterTemperatureCelsius] : [],
      ),
    );
    expect(reported).toEqual([[], [], [], [], [48], [], [], [], [], [47.5]]);
  });

  test('of a quiet home stay constant all day, so that hundreds of homes do not load the machine', () => {
    const { step } = install({ isQuiet: true });
    const reported = Array.from({ length: 24 * 60 }, (_, index) => step((index + 1) * 60_000)).flat();
    const types = Map.groupBy(reported, ({ type }) => type);
    const expected = ['energy.reported.v1', 'gateway.connectivity.v1', 'hourly-energy.reported.v1'];
    expect([...types.keys()].toSorted()).toEqual(expected);
    expect(types.get('energy.reported.v1')).toHaveLength(1);
    expect(types.get('hourly-energy.reported.v1')).toHaveLength(24);
  });

  test('of energy come once per finished or missed day, and are lower for lower setpoints', () => {
    const { receive, step } = install();
    const dayMs = 86_400_000;
    const reportedAt = (nowMs: number) =>
      step(nowMs).flatMap(({ type, data }) => (type === 'energy.reported.v1' ? [data as never as EnergyOfDay] : []));
    expect(reportedAt(1)).toEqual([]);
    const [first, ...others] = reportedAt(dayMs);
    expect([first?.dhw, others]).toEqual([{ electricityKwh: 2.1, heatKwh: 5.8 }, []]);
    expect(reportedAt(dayMs + 1)).toEqual([]);
    const missed = [1, 2, 3].map((days) => addDays(first?.day ?? '', days));
    expect(reportedAt(4 * dayMs).map(({ day }) => day)).toEqual(missed);
    receive(change(2, { roomSetpointCelsius: 16 }), 4 * dayMs);
    step(4 * dayMs + fulfilAfterMs);
    const [as16] = reportedAt(5 * dayMs);
    expect(as16?.heating?.heatKwh).toBeLessThan(first?.heating?.heatKwh ?? 0);
  });

  test('of energy come once per finished or missed hour, at most those of seven days', () => {
    const hourMs = 3_600_000;
    const { step } = install();
    const startsAt = (nowMs: number) => hoursIn(step(nowMs)).map(({ start }) => Date.parse(start) - startMs);
    expect([startsAt(1), startsAt(hourMs - 1)]).toEqual([[], []]);
    expect([startsAt(hourMs), startsAt(hourMs + 1)]).toEqual([[0], []]);
    expect(startsAt(4 * hourMs + 1)).toEqual([1, 2, 3].map((hours) => hours * hourMs));
    const week = Array.from({ length: 167 }, (_, index) => (20 * 24 - 167 + index) * hourMs);
    expect(startsAt(20 * 24 * hourMs)).toEqual(week);
  });

  test('of the energy of 24 hours add up to that of their day, also if it is negative', () => {
    const reports = install({ cools: true, isEventful: true }).step(20 * 86_400_000);
    const days = reports.flatMap(({ type, data }) =>
      type === 'energy.reported.v1' ? [data as never as EnergyOfDay] : [],
    );
    const sums = (uses: readonly object[]) =>
      Object.entries(uses[0] as Record<string, Record<string, number>>).flatMap(([purpose, use]) =>
        Object.keys(use).map((name) => {
          const sum = uses.reduce((sum, each) => sum + Number((each as never)[purpose]?.[name]), 0);
          return `${purpose} ${name} ${sum.toFixed(6)}`;
        }),
      );
    const whole = [...Map.groupBy(hoursIn(reports), ({ start }) => start.slice(0, 10))].filter(
      ([, { length }]) => length === 24,
    );
    expect(whole).toHaveLength(6);
    for (const [day, hours] of whole) {
      const { day: _, ...energy } = days.find((each) => each.day === day) as EnergyOfDay;
      expect(sums(hours.map(({ start, ...uses }) => uses))).toEqual(sums([energy]));
    }
    expect(whole.some(([, hours]) => hours.some(({ heating }) => Number(heating?.heatKwh) < 0))).toBe(true);
  });

  test('of energy have no hours if the appliance is old', () => {
    const { step } = install({ isOld: true });
    expect([1, 24].flatMap((hours) => hoursIn(step(hours * 3_600_000)))).toEqual([]);
  });

  test('of energy have cooling only where the home can cool, and more than 0 only while it cools', () => {
    const coolingOn = (peculiarities: object, day: string, desired?: object) => {
      const demoAppliance = { gatewayId: 'gw-1', name: 'Home', ...peculiarities };
      const { circuits } = installedAppliance(demoAppliance, startMs);
      for (const circuit of circuits)
        if (circuit.circuitId === 'hc2') circuit.content = { ...circuit.content, ...desired };
      return energyOn(day, settingsOf({ circuits })).cooling;
    };
    const [cools, mode] = [{ cools: true }, { operationMode: 'cooling' }];
    expect(coolingOn({}, '2026-07-10', mode)).toBeUndefined();
    expect(coolingOn(cools, '2026-07-10')).toEqual({ electricityKwh: 0, removedHeatKwh: 0 });
    expect(coolingOn(cools, '2026-01-10', mode)).toEqual({ electricityKwh: 0, removedHeatKwh: 0 });
    const { removedHeatKwh = 0 } = coolingOn(cools, '2026-07-10', { ...mode, coolingSetpointCelsius: 20 }) ?? {};
    expect(removedHeatKwh).toBeGreaterThan(
      coolingOn(cools, '2026-07-10', { ...mode, coolingSetpointCelsius: 22 })?.removedHeatKwh ?? 0,
    );
  });

  test('follow the time program that the appliance has applied', () => {
    const { receive, step } = install();
    const off = [{ dayOfWeek: 'monday', time: '00:00', setpoint: 'off' }] as const;
    receive(change(2, { name: 'Off', switchPoints: [...off] }, program), 0);
    step(fulfilAfterMs);
    expect(step(50_000)).toContainEqual(reportOfCircuit(undefined, { roomTemperatureCelsius: 19.9 }));
  });

  test('catch up on the time between two runs', () => {
    const { step, restart } = install();
    restart();
    const reports = step(8 * 3_600_000);
    expect(reports).toContainEqual(reportOfCircuit(undefined, { roomTemperatureCelsius: 21 }));
  });

  test('of an open sensor stay open', () => {
    const { step } = install({ openRoomSensorIn: 'hc1' });
    const reports = step(8 * 3_600_000);
    expect(reports).toContainEqual(reportOfCircuit(undefined, { roomTemperatureCelsius: -3276.8 }));
  });
});

describe('the target of a circuit', () => {
  const hourMs = 3_600_000;
  const aimsOf = (reports: ReturnType<ReturnType<typeof install>['step']>, circuitId = 'hc1') =>
    reports.flatMap(({ data }) => {
      const { temperatureCelsius, level } = Object(data.reported?.target);
      return data.circuitId === circuitId ? [[temperatureCelsius, level]] : [];
    });

  test('follows the time program of the circuit, and an off level of hot water has no temperature', () => {
    const { step } = install();
    const day = Array.from({ length: 24 }, (_, index) => step((index + 1) * hourMs)).flat();
    const distinct = (circuitId: string) =>
      aimsOf(day, circuitId).filter((each, index, all) => String(each) !== String(all[index - 1]));
    expect(distinct('hc1')).toEqual([
      [21, 'comfort'],
      [18, 'eco'],
      [21, 'comfort'],
    ]);
    expect(distinct('dhw1')).toEqual([
      [40, 'eco'],
      [52, 'comfort'],
      [null, 'off'],
      [52, 'comfort'],
      [40, 'eco'],
    ]);
  });

  test('follows the mode, the setpoint of a level and an override, which has no level', () => {
    const { receive, step } = install();
    const aimAfter = (version: number, desired: object) => {
      const nowMs = (version + 13) * hourMs;
      receive(change(version, desired), nowMs);
      return aimsOf(step(nowMs + fulfilAfterMs))[0];
    };
    expect(aimAfter(2, { levelSetpoints: [{ level: 'eco', setpointCelsius: 16.5 }] })).toEqual([16.5, 'eco']);
    expect(aimAfter(3, { operationMode: 'off' })).toEqual([5, 'off']);
    expect(aimAfter(4, { operationMode: 'manual' })).toEqual([21, null]);
    const override = { roomSetpointCelsius: 23.5, until: 'next-switch-point', since: new Date(startMs).toISOString() };
    expect(aimAfter(5, { override: { ...override, until: '2026-11-23T10:00:00Z' } })).toEqual([23.5, null]);
  });
});

test('a gateway reports that it is online once an hour, and at once when its backend runs again', () => {
  const { step, restart } = install();
  const times = (reports: ReturnType<typeof step>) =>
    reports.filter(({ type }) => type === 'gateway.connectivity.v1').map(({ data }) => data);
  const online = (afterMs: number) => ({
    connectivity: 'online',
    lastSeenAt: new Date(startMs + afterMs).toISOString(),
  });
  expect(times(step(onlineIntervalMs - 1))).toEqual([]);
  expect(times(step(onlineIntervalMs))).toEqual([online(onlineIntervalMs)]);
  expect(times(step(onlineIntervalMs + 1))).toEqual([]);
  restart();
  expect(times(step(onlineIntervalMs + 2))).toEqual([online(onlineIntervalMs + 2)]);
});

test('an offline appliance accepts changes and never reports', () => {
  const { receive, step, restart } = install({ isOffline: true });
  receive(change(2, { roomSetpointCelsius: 23 }), 0);
  for (const afterMs of [0, fulfilAfterMs, onlineIntervalMs]) expect(step(afterMs)).toEqual([]);
  restart();
  expect(step(onlineIntervalMs)).toEqual([]);
});

test('a block has a known end, and the next one leaves clients time to retry after it', () => {
  const blocks: readonly ApplianceFunction[] = ['heatingTimePrograms', 'dhwTimePrograms'];
  const { step } = install({ blocks });
  const blocksAt = (afterMs: number) =>
    step(afterMs).flatMap(({ type, data }) => (type === 'function.blocked.v1' ? [data] : []));
  const againMs = blockDurationMs + 60_000;
  expect(blocksAt(0)).toEqual([]);
  expect(blocksAt(againMs - 1)).toEqual([]);
  const [since, until] = [againMs, againMs + blockDurationMs].map((ms) => new Date(startMs + ms).toISOString());
  expect(blocksAt(againMs)).toEqual(blocks.map((name) => ({ function: name, since, until })));
  expect(blocksAt(againMs + 1)).toEqual([]);
});

describe('factory settings', () => {
  const ofFleet = fleetAppliances.filter(({ isQuiet }, index) => index === 0 || !isQuiet);
  const appliances = [...loadStageConfig('local').companies.flatMap(appliancesOf), ...ofFleet];
  const families = { heating, dhw };
  const bodies = { heating: heatingCircuitBody, dhw: dhwCircuitBody };
  const valid = (schema: () => z.ZodMiniType, value: unknown) =>
    expect(schema().safeParse(value).error).toBeUndefined();

  test.each(appliances)('the settings of $gatewayId match the schemas of the API', (appliance) => {
    const { gatewayId } = appliance;
    const nameplate = nameplateOf(appliance);
    const standingNow = {
      connectivity: 'online',
      connectivitySinceMs: 0,
      lastSeenAtMs: 0,
      blocks: {},
      faults: [],
    } as const;
    const gateway = { ...nameplate, ...standingNow };
    valid(gatewaySchema, gatewayBody(gateway, 0));
    for (const { family, circuitId, reported, timePrograms } of circuitsOf(appliance)) {
      const standing = { reportedAtMs: 0, receivedAtMs: 0, version: 1 };
      const key = circuitItemKey(gatewayId, family, circuitId);
      const circuit = toCircuit({ ...key, circuitId, reported, ...standing });
      valid(families[family].circuit, {
        ...bodies[family](circuit as never),
        ...gatewayPartOf(gateway, family, circuit, 0),
      });
      expect(Object.keys(timePrograms)).toContain(reported.activeTimeProgramId);
      for (const [timeProgramId, program] of Object.entries(timePrograms)) {
        valid(families[family].timeProgramUpdate, program);
        valid(families[family].timeProgram, timeProgramBody({ timeProgramId, reported: program, ...standing }));
        expect(switchPointFaults(program.switchPoints as SwitchPoint[], nameplate.limits)).toEqual([]);
      }
    }
  });
});
