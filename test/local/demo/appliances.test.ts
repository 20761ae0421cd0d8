import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import type * as z from 'zod/mini';
import { loadStageConfig } from '../../../config/load.ts';
import {
  dhwCircuitBody,
  gatewayBody,
  heatingCircuitBody,
  timeProgramBody,
} from '../../../lambdas/answers/appliances.ts';
import { dhw, heating } from '../../../lambdas/api/endpoints/circuit-endpoints.ts';
import type { RequestedChangeEvent } from '../../../lambdas/api/requested-change.ts';
import { type ApplianceFunction, gateway as gatewaySchema } from '../../../lambdas/api/schemas/gateway.ts';
import { circuitItemKey, toCircuit } from '../../../lambdas/data/appliances/appliances.ts';
import { type SwitchPoint, switchPointFaults } from '../../../lambdas/domain/appliance.ts';
import { addDays } from '../../../lambdas/domain/energy.ts';
import { readEvent } from '../../../lambdas/inbound/read-event.ts';
import {
  type BackendQueues,
  type GatewayReport,
  gatewayReport,
} from '../../../local/demo/appliances/backend-queues.ts';
import type { EnergyOfDay } from '../../../local/demo/appliances/energy-use.ts';
import {
  appliancesOf,
  circuitsOf,
  type DemoAppliance,
  nameplateOf,
} from '../../../local/demo/appliances/factory-settings.ts';
import {
  type ApplianceState,
  blockDurationMs,
  blockPauseMs,
  createSimulatedAppliance,
  fulfilAfterMs,
  installedAppliance,
  onlineIntervalMs,
  readingIntervalMs,
  reconnectedAppliance,
  type SimulatedAppliance,
} from '../../../local/demo/appliances/simulated-appliance.ts';
import { startSimulation } from '../../../local/demo/appliances/simulation.ts';
import { fleetAppliances } from '../../../local/demo/fleet.ts';
import { importsBelow } from '../../repository/imports.ts';

describe('simulation', () => {
  /** Resolves when it has been told so often. */
  const counter = () => {
    const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
    let count = 0;
    return {
      tell: () => {
        count++;
        for (const each of waiting) if (count >= each.count) each.resolve();
      },
      until: (wanted: number) =>
        new Promise<void>((resolve) => (count >= wanted ? resolve() : void waiting.push({ count: wanted, resolve }))),
      count: () => count,
    };
  };

  /** An appliance that reports in each step what it has received so far. */
  const echo = (gatewayId: string): SimulatedAppliance & { readonly received: unknown[] } => {
    const received: unknown[] = [];
    return {
      received,
      state: { gatewayId } as ApplianceState,
      receive: ({ id }) => void received.push(id),
      step: (nowMs) => [gatewayReport('gateway.removed.v1', gatewayId, {}, nowMs)],
    };
  };

  const changeOf = (subject: string, id: string) => ({ subject, id }) as RequestedChangeEvent;

  /** Queues that hand out these changes one after the other, and let the test say what sending does. */
  const queuesWith = (changes: RequestedChangeEvent[], send: (reports: readonly GatewayReport[]) => void) => {
    const sends = counter();
    const done: string[] = [];
    const queues: BackendQueues & { readonly isClosed: () => boolean } = {
      receive: async () => {
        await new Promise(setImmediate);
        const received = changes.splice(0, 1);
        return { changes: received, done: async () => void done.push(...received.map(({ id }) => id)) };
      },
      send: async (reports) => {
        sends.tell();
        send(reports);
      },
      close: () => {
        closed = true;
      },
      isClosed: () => closed,
    };
    let closed = false;
    return { queues, sends, done };
  };

  const silent = { print: () => undefined, restMs: 1 };

  test('each change reaches the appliance of its gateway and leaves the queue, also one that is nobody’s', async () => {
    const [one, other] = [echo('gw-1'), echo('gw-2')];
    const changes = [changeOf('gw-2', 'a'), changeOf('gw-9', 'b'), changeOf('gw-1', 'c')];
    const { queues, sends, done } = queuesWith(changes, () => undefined);
    const simulation = startSimulation({ appliances: [one, other], queues, ...silent });
    await sends.until(4);
    await simulation.stop();
    expect([one.received, other.received, done]).toEqual([['c'], ['a'], ['a', 'b', 'c']]);
  });

  test('reports that no queue took are sent again as they were, before those that follow', async () => {
    const sent: (readonly string[])[] = [];
    const { queues, sends } = queuesWith([], (reports) => {
      sent.push(reports.map(({ id }) => id));
      if (sent.length === 1) throw new Error('no queue');
    });
    const printed: string[] = [];
    const print = (line: string) => printed.push(line);
    const simulation = startSimulation({ appliances: [echo('gw-1')], queues, ...silent, print });
    await sends.until(3);
    await simulation.stop();
    const [first, second, third] = sent;
    expect(second).toEqual([...(first ?? []), expect.any(String)]);
    expect(third).toHaveLength(1);
    expect(new Set(second).has(String(third?.[0]))).toBe(false);
    expect(printed).toEqual([
      expect.stringMatching(/^The gateway backend could not reach its queues \(Error: no queue\)/),
    ]);
  });

  test('queues that fail for long are spoken of once', async () => {
    const printed: string[] = [];
    const { queues, sends } = queuesWith([], () => {
      throw new Error('no queue');
    });
    const print = (line: string) => printed.push(line);
    const simulation = startSimulation({ appliances: [echo('gw-1')], queues, ...silent, print });
    await sends.until(5);
    await simulation.stop();
    expect(printed).toHaveLength(1);
  });

  test('a backend that pauses leaves its queues alone, and sends afterwards what appliances have reported meanwhile', async () => {
    const appliance = echo('gw-1');
    const steps = counter();
    const step = (nowMs: number) => {
      steps.tell();
      return appliance.step(nowMs);
    };
    const sent: number[] = [];
    const { queues, sends, done } = queuesWith([changeOf('gw-1', 'a')], (reports) => sent.push(reports.length));
    const simulation = startSimulation({ appliances: [{ ...appliance, step }], queues, ...silent });
    simulation.pause(true);
    // The look at the queue that was under way may end.
    await steps.until(2);
    const sendsBefore = sends.count();
    await steps.until(steps.count() + 5);
    expect([sends.count(), done]).toEqual([sendsBefore, ['a']]);
    simulation.pause(false);
    await sends.until(sendsBefore + 1);
    await simulation.stop();
    expect(sent[sendsBefore]).toBeGreaterThan(5);
  });

  test('what appliances know is kept before it is sent, and when they stop; then the queues are left', async () => {
    const order: string[] = [];
    const { queues, sends } = queuesWith([], () => order.push('sent'));
    const remember = (states: readonly ApplianceState[]) => order.push(`kept ${states.map((each) => each.gatewayId)}`);
    const simulation = startSimulation({ appliances: [echo('gw-1')], queues, remember, ...silent });
    await sends.until(2);
    await simulation.stop();
    expect(order.slice(0, 2)).toEqual(['kept gw-1', 'sent']);
    expect(order.at(-1)).toBe('kept gw-1');
    expect(queues.isClosed()).toBe(true);
    const steps = sends.count();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(sends.count()).toBe(steps);
  });
});

describe('simulated appliance', () => {
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

  describe('an override', () => {
    const at = (afterMs: number) => new Date(startMs + afterMs).toISOString().replace('.000Z', 'Z');
    const override = { roomSetpointCelsius: 25, until: at(3_600_000), since: at(0) };
    const toEnd = (until: string) => change(2, { override: { ...override, until } });
    const overridesIn = (reports: readonly { readonly data: Data }[]) =>
      reports.flatMap(({ data: { circuitId, reported } }) => (circuitId === 'hc1' ? [reported?.override] : []));

    test('holds until its end by the clock of the appliance, which reports that at once, also in the next run', () => {
      const { receive, step, restart } = install();
      receive(toEnd(override.until), 0);
      expect(step(fulfilAfterMs)).toEqual([reportOfCircuit(2, { override, roomSetpointCelsius: 21 })]);
      expect(overridesIn(step(3_599_999))).toEqual([override]);
      restart();
      expect(overridesIn(step(3_600_000))).toEqual([null]);
      expect(overridesIn(step(3_600_001))).toEqual([]);
    });

    test('heats to its own temperature, whatever the program says, and back after its end', () => {
      const { receive, step } = install();
      receive(change(2, { operationMode: 'off', override }), 0);
      step(fulfilAfterMs);
      const temperatureAt = (afterMs: number) =>
        step(afterMs).flatMap(({ data: { circuitId, reported } }) =>
          circuitId === 'hc1' ? [reported?.roomTemperatureCelsius] : [],
        );
      expect(temperatureAt(3_500_000)).toEqual([25]);
      step(3_600_000);
      expect(temperatureAt(3_600_000 + 10 * readingIntervalMs)).toEqual([24]);
    });

    test('until the next switch point is reported with its time, which counts from the request', () => {
      const { receive, step } = install();
      receive(toEnd('next-switch-point'), 0);
      // The program switches at 22:00.
      expect(overridesIn(step(fulfilAfterMs))).toEqual([{ ...override, until: '2026-11-21T22:00:00Z' }]);
      expect(overridesIn(step(12 * 3_600_000))).toEqual([null]);
    });

    test('that comes after its end never holds, and is reported as done', () => {
      for (const until of [override.until, 'next-switch-point']) {
        const { receive, step } = install();
        receive(toEnd(until), 13 * 3_600_000);
        step(13 * 3_600_000);
        expect(step(13 * 3_600_000 + fulfilAfterMs)).toEqual([reportOfCircuit(2, { override: null })]);
      }
    });

    test('until the next switch point of a program without points ends after a week', () => {
      const { receive, step } = install();
      receive(change(2, { name: 'None', switchPoints: [] }, program), 0);
      step(fulfilAfterMs);
      receive(toEnd('next-switch-point'), fulfilAfterMs);
      expect(overridesIn(step(2 * fulfilAfterMs))).toEqual([{ ...override, until: '2026-11-28T10:00:00Z' }]);
    });

    test('of hot water keeps the tank at its setpoint', () => {
      const { receive, step } = install();
      const dhw: Item = { kind: 'circuit', family: 'dhw', circuitId: 'dhw1' };
      receive(change(2, { override: { until: override.until, since: override.since } }, dhw), 0);
      step(fulfilAfterMs);
      const reports = step(3_500_000).filter(({ data: { circuitId } }) => circuitId === 'dhw1');
      expect(reports).toMatchObject([{ data: { reported: { waterTemperatureCelsius: 52 } } }]);
    });
  });

  describe('a holiday', () => {
    const at = (afterMs: number) => new Date(startMs + afterMs).toISOString().replace('.000Z', 'Z');
    const period = { from: at(600_000), to: at(3_600_000), roomSetpointCelsius: 15 };
    const requested = change(2, { holiday: period }, { kind: 'holiday' });
    const reportOf = (fulfilsVersion: number | undefined, holiday: object | null) => ({
      ...{ type: 'holiday.reported.v1', subject: gatewayId, data: { holiday, fulfilsVersion } },
    });
    const temperaturesIn = (reports: readonly { readonly data: Data }[]) =>
      reports.flatMap(({ data: { circuitId, reported } }) =>
        circuitId === 'hc1' ? [reported?.roomTemperatureCelsius] : [],
      );

    test('is confirmed, begins and ends by the clock of the appliance, and its end is reported once', () => {
      const { receive, step, restart } = install();
      receive(requested, 0);
      expect(step(fulfilAfterMs)).toEqual([reportOf(2, period)]);
      expect(temperaturesIn(step(590_000))).toEqual([21]);
      expect(temperaturesIn(step(3_590_000))).toEqual([15]);
      restart();
      step(3_590_001);
      expect(step(3_600_000)).toContainEqual(reportOf(undefined, null));
      expect(step(3_600_001)).toEqual([]);
    });

    test('gives way to an override of a circuit', () => {
      const { receive, step } = install();
      receive(requested, 0);
      const override = { roomSetpointCelsius: 25, until: at(7_200_000), since: at(0) };
      receive(change(2, { override }), 0);
      step(fulfilAfterMs);
      expect(temperaturesIn(step(3_590_000))).toEqual([25]);
    });

    test('that comes after its end never begins, and is reported as done', () => {
      const { receive, step } = install();
      receive(requested, 3_600_000);
      step(3_600_000);
      expect(step(3_600_000 + fulfilAfterMs)).toContainEqual(reportOf(2, null));
    });

    test('is nothing that an old appliance has', () => {
      const { receive, step } = install({ isOld: true });
      receive(requested, 0);
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

    test('of a quiet home stay as they are all day, so that hundreds leave this machine alone', () => {
      const { step } = install({ isQuiet: true });
      const reported = Array.from({ length: 24 * 60 }, (_, index) => step((index + 1) * 60_000)).flat();
      const types = Map.groupBy(reported, ({ type }) => type);
      expect([...types.keys()].toSorted()).toEqual(['energy.reported.v1', 'gateway.connectivity.v1']);
      expect(types.get('energy.reported.v1')).toHaveLength(1);
    });

    test('of energy come once a day, when it is over, for each day that was missed, and less of it if less is asked for', () => {
      const { receive, step } = install();
      const dayMs = 86_400_000;
      const told = (nowMs: number) =>
        step(nowMs).flatMap(({ type, data }) => (type === 'energy.reported.v1' ? [data as never as EnergyOfDay] : []));
      expect(told(1)).toEqual([]);
      const [first, ...others] = told(dayMs);
      expect([first?.dhw, others]).toEqual([{ electricityKwh: 2.1, heatKwh: 5.8 }, []]);
      expect(told(dayMs + 1)).toEqual([]);
      const missed = [1, 2, 3].map((days) => addDays(first?.day ?? '', days));
      expect(told(4 * dayMs).map(({ day }) => day)).toEqual(missed);
      receive(change(2, { roomSetpointCelsius: 16 }), 4 * dayMs);
      step(4 * dayMs + fulfilAfterMs);
      const [as16] = told(5 * dayMs);
      expect(as16?.heating?.heatKwh).toBeLessThan(first?.heating?.heatKwh ?? 0);
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
});

describe('factory settings', () => {
  const appliances = [...loadStageConfig('local').companies.flatMap(appliancesOf), ...fleetAppliances.slice(0, 1)];
  const families = { heating, dhw };
  const bodies = { heating: heatingCircuitBody, dhw: dhwCircuitBody };
  const valid = (schema: () => z.ZodMiniType, value: unknown) =>
    expect(schema().safeParse(value).error).toBeUndefined();

  test.each(appliances)('what stands in $gatewayId is presented as the API promises', (appliance) => {
    const { gatewayId } = appliance;
    const nameplate = nameplateOf(appliance);
    valid(gatewaySchema, gatewayBody({ ...nameplate, connectivity: 'online', lastSeenAtMs: 0, blocks: {} }, 0));
    for (const { family, circuitId, reported, timePrograms } of circuitsOf(appliance)) {
      const standing = { reportedAtMs: 0, receivedAtMs: 0, version: 1 };
      const key = circuitItemKey(gatewayId, family, circuitId);
      const circuit = toCircuit({ ...key, circuitId, reported, ...standing });
      valid(families[family].circuit, bodies[family](circuit as never));
      expect(Object.keys(timePrograms)).toContain(reported.activeTimeProgramId);
      for (const [timeProgramId, program] of Object.entries(timePrograms)) {
        valid(families[family].timeProgramUpdate, program);
        valid(families[family].timeProgram, timeProgramBody({ timeProgramId, reported: program, ...standing }));
        expect(switchPointFaults(program.switchPoints as SwitchPoint[], nameplate.limits)).toEqual([]);
      }
    }
  });
});

describe('no table access', () => {
  /** Everything that the simulated appliances and their backend consist of, however far away. */
  const reached = (): ReadonlySet<string> => {
    const imports = Map.groupBy(importsBelow(resolve('.'), ['config', 'lambdas', 'local']), ({ from }) => from);
    const files = new Set([...imports.keys()].filter((file) => file.startsWith('local/demo/appliances/')));
    // A set hands out what is added while it is read.
    for (const file of files) for (const { to } of imports.get(file) ?? []) files.add(to);
    return files;
  };

  test('the gateway backend has queues, and no way to a table', () => {
    const files = [...reached()];
    expect(files).toContain('@aws-sdk/client-sqs');
    expect(files.filter((file) => /dynamodb|^lambdas\/data\/|^packages\//.test(file))).toEqual([]);
  });
});
