import { describe, expect, test } from 'vitest';
import { toTimestamp } from '../../lambdas/domain/time.ts';
import { fulfilAfterMs } from '../../simulator/simulated-appliance.ts';
import {
  change,
  circuit,
  type Data,
  gatewayId,
  type Item,
  inactiveProgram,
  install,
  program,
  reportOfCircuit,
  startMs,
} from './scene.ts';

/** Returns the time this long after the start. */
const at = (afterMs: number) => toTimestamp(startMs + afterMs);

describe('a requested change', () => {
  test('is reported once with its version, after a moment', () => {
    const { receive, step } = install();
    receive(change(2, { roomSetpointCelsius: 23 }), 100);
    expect(step(100 + fulfilAfterMs - 1)).toEqual([]);
    expect(step(100 + fulfilAfterMs)).toEqual([
      reportOfCircuit(2, { roomSetpointCelsius: 23, operationMode: 'auto', roomTemperatureCelsius: 20.4 }),
    ]);
    expect(step(101 + fulfilAfterMs)).toEqual([]);
  });

  test('of a time program is reported in the same way', () => {
    const { receive, step } = install();
    receive(change(2, { name: 'Empty', switchPoints: [] }, inactiveProgram), 0);
    expect(step(fulfilAfterMs)).toEqual([
      {
        type: 'time-program.reported.v1',
        subject: gatewayId,
        data: {
          family: 'heating',
          circuitId: 'hc1',
          timeProgramId: '2',
          name: 'Empty',
          switchPoints: [],
          fulfilsVersion: 2,
        },
      },
    ]);
  });

  test('replaces an open one and takes its own moment', () => {
    const { receive, step } = install();
    receive(change(2, { roomSetpointCelsius: 23 }), 0);
    receive(change(3, { roomSetpointCelsius: 23, operationMode: 'manual' }), 500);
    expect(step(fulfilAfterMs)).toEqual([]);
    expect(step(500 + fulfilAfterMs)).toEqual([
      reportOfCircuit(3, { roomSetpointCelsius: 23, operationMode: 'manual' }),
    ]);
  });

  test('that has expired is not applied: the version without it follows', () => {
    const { receive, step } = install();
    const expiring = change(2, { roomSetpointCelsius: 23, operationMode: 'manual' });
    const validUntil = { roomSetpointCelsius: at(fulfilAfterMs) };
    receive({ ...expiring, data: { ...expiring.data, validUntil } }, 0);
    const others = { roomSetpointCelsius: 21, operationMode: 'manual' };
    expect(step(fulfilAfterMs)).toEqual([reportOfCircuit(undefined, others)]);
    receive(change(3, others), fulfilAfterMs);
    expect(step(2 * fulfilAfterMs)).toEqual([reportOfCircuit(3, others)]);
  });

  test('older than the applied or the open one has no effect', () => {
    const { receive, step } = install();
    receive(change(3, { roomSetpointCelsius: 24 }), 0);
    receive(change(2, { roomSetpointCelsius: 23 }), 1);
    expect(step(fulfilAfterMs)).toEqual([reportOfCircuit(3, { roomSetpointCelsius: 24 })]);
    receive(change(2, { roomSetpointCelsius: 23 }), fulfilAfterMs + 1);
    expect(step(3 * fulfilAfterMs)).toEqual([]);
  });

  test('that is delivered again is reported again, even in the next run', () => {
    const { receive, step, restart } = install();
    receive(change(2, { roomSetpointCelsius: 23 }), 0);
    step(fulfilAfterMs);
    restart();
    step(fulfilAfterMs + 1);
    receive(change(2, { roomSetpointCelsius: 23 }), 2 * fulfilAfterMs);
    expect(step(3 * fulfilAfterMs)).toEqual([reportOfCircuit(2, { roomSetpointCelsius: 23 })]);
  });

  test('of an item that the appliance does not have is ignored', () => {
    const { receive, step } = install();
    receive(change(2, { roomSetpointCelsius: 23 }, { ...circuit, circuitId: 'hc9' } as Item), 0);
    receive(change(2, { name: 'x', switchPoints: [] }, { ...program, timeProgramId: '9' } as Item), 0);
    expect(step(fulfilAfterMs)).toEqual([]);
  });
});

describe('an override', () => {
  const override = { roomSetpointCelsius: 25, until: at(3_600_000), since: at(0) };
  const toEnd = (until: string) => change(2, { override: { ...override, until } });
  const overridesIn = (reports: readonly { readonly data: Data }[]) =>
    reports.flatMap(({ data: { circuitId, reported } }) => (circuitId === 'hc1' ? [reported?.override] : []));

  test('ends by the clock of the appliance, which reports the end at once, even in the next run', () => {
    const { receive, step, restart } = install();
    receive(toEnd(override.until), 0);
    expect(step(fulfilAfterMs)).toEqual([reportOfCircuit(2, { override, roomSetpointCelsius: 21 })]);
    expect(overridesIn(step(3_599_999))).toEqual([override]);
    restart();
    expect(overridesIn(step(3_600_000))).toEqual([null]);
    expect(overridesIn(step(3_600_001))).toEqual([]);
  });

  test('heats to its own temperature regardless of the program, which applies again after its end', () => {
    const { receive, step } = install();
    receive(change(2, { operationMode: 'off', override }), 0);
    step(fulfilAfterMs);
    const temperatureAt = (afterMs: number) =>
      step(afterMs).flatMap(({ data: { circuitId, reported } }) =>
        circuitId === 'hc1' ? [reported?.roomTemperatureCelsius] : [],
      );
    expect(temperatureAt(3_500_000)).toEqual([25]);
    step(3_600_000);
    expect(temperatureAt(3_600_000 + 100_000)).toEqual([24]);
  });

  test('until the next switch point is reported with its end time, counted from the request', () => {
    const { receive, step } = install();
    receive(toEnd('next-switch-point'), 0);
    // The program switches at 22:00.
    expect(overridesIn(step(fulfilAfterMs))).toEqual([{ ...override, until: '2026-11-21T22:00:00Z' }]);
    expect(overridesIn(step(12 * 3_600_000))).toEqual([null]);
  });

  test('that arrives after its end never applies, and is reported as fulfilled', () => {
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
  const period = { from: at(600_000), to: at(3_600_000), roomSetpointCelsius: 15 };
  const requested = change(2, { holiday: period }, { kind: 'holiday' });
  const reportOf = (fulfilsVersion: number | undefined, holiday: object | null) => ({
    type: 'holiday.reported.v1',
    subject: gatewayId,
    data: { holiday, fulfilsVersion },
  });
  const temperaturesIn = (reports: readonly { readonly data: Data }[]) =>
    reports.flatMap(({ data: { circuitId, reported } }) =>
      circuitId === 'hc1' ? [reported?.roomTemperatureCelsius] : [],
    );

  test('is confirmed, starts and ends by the clock of the appliance, and its end is reported once', () => {
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

  test('is overridden by an override of a circuit', () => {
    const { receive, step } = install();
    receive(requested, 0);
    const override = { roomSetpointCelsius: 25, until: at(7_200_000), since: at(0) };
    receive(change(2, { override }), 0);
    step(fulfilAfterMs);
    expect(temperaturesIn(step(3_590_000))).toEqual([25]);
  });

  test('that arrives after its end never starts, and is reported as fulfilled', () => {
    const { receive, step } = install();
    receive(requested, 3_600_000);
    step(3_600_000);
    expect(step(3_600_000 + fulfilAfterMs)).toContainEqual(reportOf(2, null));
  });

  test('is ignored by an old appliance', () => {
    const { receive, step } = install({ isOld: true });
    receive(requested, 0);
    expect(step(fulfilAfterMs)).toEqual([]);
  });
});
