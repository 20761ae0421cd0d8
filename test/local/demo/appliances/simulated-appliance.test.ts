import { describe, expect, test } from 'vitest';
import type { RequestedChangeEvent } from '../../../../lambdas/api/requested-change.ts';
import type { ApplianceFunction } from '../../../../lambdas/api/schemas/gateway.ts';
import { readEvent } from '../../../../lambdas/inbound/read-event.ts';
import type { DemoAppliance } from '../../../../local/demo/appliances/factory-settings.ts';
import {
  blockDurationMs,
  blockPauseMs,
  createSimulatedAppliance,
  fulfilAfterMs,
  installedAppliance,
  onlineIntervalMs,
  readingIntervalMs,
  reconnectedAppliance,
} from '../../../../local/demo/appliances/simulated-appliance.ts';

/** 10:00 on a Saturday, when every time program is at comfort. */
const startMs = Date.parse('2026-11-21T10:00:00Z');
const gatewayId = 'gw-1001';

/** An appliance that was installed at the start. Each of its reports has to be an event that the consumer takes. */
const install = (peculiarities: Partial<DemoAppliance> = {}) => {
  const demoAppliance = { gatewayId, name: 'Home', ...peculiarities };
  let appliance = createSimulatedAppliance(demoAppliance, installedAppliance(demoAppliance, startMs));
  return {
    receive: (change: RequestedChangeEvent, afterMs: number) => appliance.receive(change, startMs + afterMs),
    step: (afterMs: number) => {
      const reports = appliance.step(startMs + afterMs);
      for (const report of reports) {
        const { refusal, event } = readEvent('gatewayReports', JSON.stringify(report), startMs + afterMs);
        expect([refusal, event?.timeMs]).toEqual([undefined, startMs + afterMs]);
      }
      return reports.map(({ type, subject, data }) => ({ type, subject, data: data as Data }));
    },
    /** Ends the run and begins another, from what was written as JSON. */
    restart: () => {
      const kept = JSON.parse(JSON.stringify(appliance.state));
      appliance = createSimulatedAppliance(demoAppliance, reconnectedAppliance(kept));
    },
  };
};

type Data = Readonly<Record<string, unknown>> & { readonly reported?: Readonly<Record<string, unknown>> };

type Item = RequestedChangeEvent['data']['item'];
const circuit: Item = { kind: 'circuit', family: 'heating', circuitId: 'hc1' };
const program: Item = { ...circuit, kind: 'time-program', timeProgramId: '1' };

const change = (version: number, desired: RequestedChangeEvent['data']['desired'], item: Item = circuit) =>
  ({ subject: gatewayId, data: { item, version, desired } }) as RequestedChangeEvent;

const reportOfCircuit = (fulfilsVersion: number | undefined, reported: object) => ({
  type: 'circuit.reported.v1',
  subject: gatewayId,
  data: { family: 'heating', circuitId: 'hc1', fulfilsVersion, reported: expect.objectContaining(reported) },
});

describe('a requested change', () => {
  test('takes a moment, and is then reported with its version, once', () => {
    const { receive, step } = install();
    receive(change(2, { roomSetpointCelsius: 23 }), 100);
    expect(step(100 + fulfilAfterMs - 1)).toEqual([]);
    expect(step(100 + fulfilAfterMs)).toEqual([
      reportOfCircuit(2, { roomSetpointCelsius: 23, operationMode: 'auto', roomTemperatureCelsius: 20.4 }),
    ]);
    expect(step(101 + fulfilAfterMs)).toEqual([]);
  });

  test('of a time program likewise', () => {
    const { receive, step } = install();
    receive(change(2, { name: 'Empty', switchPoints: [] }, program), 0);
    expect(step(fulfilAfterMs)).toEqual([
      {
        ...{ type: 'time-program.reported.v1', subject: gatewayId },
        data: {
          family: 'heating',
          circuitId: 'hc1',
          timeProgramId: '1',
          name: 'Empty',
          switchPoints: [],
          fulfilsVersion: 2,
        },
      },
    ]);
  });

  test('that follows another takes its place, and its own moment', () => {
    const { receive, step } = install();
    receive(change(2, { roomSetpointCelsius: 23 }), 0);
    receive(change(3, { roomSetpointCelsius: 23, operationMode: 'manual' }), 500);
    expect(step(fulfilAfterMs)).toEqual([]);
    expect(step(500 + fulfilAfterMs)).toEqual([
      reportOfCircuit(3, { roomSetpointCelsius: 23, operationMode: 'manual' }),
    ]);
  });

  test('that is older than the one applied or under way does nothing', () => {
    const { receive, step } = install();
    receive(change(3, { roomSetpointCelsius: 24 }), 0);
    receive(change(2, { roomSetpointCelsius: 23 }), 1);
    expect(step(fulfilAfterMs)).toEqual([reportOfCircuit(3, { roomSetpointCelsius: 24 })]);
    receive(change(2, { roomSetpointCelsius: 23 }), fulfilAfterMs + 1);
    expect(step(3 * fulfilAfterMs)).toEqual([]);
  });

  test('that comes again is answered again, also in the next run', () => {
    const { receive, step, restart } = install();
    receive(change(2, { roomSetpointCelsius: 23 }), 0);
    step(fulfilAfterMs);
    restart();
    step(fulfilAfterMs + 1);
    receive(change(2, { roomSetpointCelsius: 23 }), 2 * fulfilAfterMs);
    expect(step(3 * fulfilAfterMs)).toEqual([reportOfCircuit(2, { roomSetpointCelsius: 23 })]);
  });

  test('of something that the appliance does not have is passed over', () => {
    const { receive, step } = install();
    receive(change(2, { roomSetpointCelsius: 23 }, { ...circuit, circuitId: 'hc9' } as Item), 0);
    receive(change(2, { name: 'x', switchPoints: [] }, { ...program, timeProgramId: '9' } as Item), 0);
    expect(step(fulfilAfterMs)).toEqual([]);
  });
});

describe('readings', () => {
  test('are reported when they differ by half a degree from the last report, and no earlier', () => {
    const { step } = install();
    // The tank is at eco, and loses a tenth of a degree each time.
    const reported = Array.from({ length: 10 }, (_, index) => step((index + 1) * readingIntervalMs)).map((reports) =>
      reports.flatMap(({ data: { circuitId, reported: { waterTemperatureCelsius } = {} } }) =>
        circuitId === 'dhw1' ? [waterTemperatureCelsius] : [],
      ),
    );
    expect(reported).toEqual([[], [], [], [], [48], [], [], [], [], [47.5]]);
  });

  test('follow the time program that the appliance has taken over', () => {
    const { receive, step } = install();
    const off = [{ dayOfWeek: 'monday', time: '00:00', setpoint: 'off' }] as const;
    receive(change(2, { name: 'Off', switchPoints: [...off] }, program), 0);
    step(fulfilAfterMs);
    expect(step(5 * readingIntervalMs)).toContainEqual(reportOfCircuit(undefined, { roomTemperatureCelsius: 19.9 }));
  });

  test('take up the time that nobody was there', () => {
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

test('a gateway is told to be online once an hour, and at once when its backend runs again', () => {
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

test('an appliance that is offline takes changes and never says a word', () => {
  const { receive, step, restart } = install({ isOffline: true });
  receive(change(2, { roomSetpointCelsius: 23 }), 0);
  for (const afterMs of [0, fulfilAfterMs, onlineIntervalMs]) expect(step(afterMs)).toEqual([]);
  restart();
  expect(step(onlineIntervalMs)).toEqual([]);
});

test('a block has a known end; another follows, not before a client could keep its appointment', () => {
  const blocks: readonly ApplianceFunction[] = ['heatingTimePrograms', 'dhwTimePrograms'];
  const { step } = install({ blocks });
  const blocksAt = (afterMs: number) =>
    step(afterMs).flatMap(({ type, data }) => (type === 'function.blocked.v1' ? [data] : []));
  const againMs = blockDurationMs + blockPauseMs;
  expect(blocksAt(0)).toEqual([]);
  expect(blocksAt(againMs - 1)).toEqual([]);
  const [since, until] = [againMs, againMs + blockDurationMs].map((ms) => new Date(startMs + ms).toISOString());
  expect(blocksAt(againMs)).toEqual(blocks.map((name) => ({ function: name, since, until })));
  expect(blocksAt(againMs + 1)).toEqual([]);
});
