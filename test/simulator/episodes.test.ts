import { describe, expect, test } from 'vitest';
import { addDays } from '../../lambdas/domain/energy.ts';
import { energyOn } from '../../simulator/energy-use.ts';
import { fulfilAfterMs } from '../../simulator/simulated-appliance.ts';
import { change, type Item, install } from './scene.ts';

const minuteMs = 60_000;

type Step = ReturnType<typeof install>['step'];

/** Runs the appliance until a time, reading its sensors at each interval, and returns the last report of a circuit. */
const newestUntil = (step: Step, circuitId: string, fromMs: number, untilMs: number) => {
  const reports = [];
  for (let afterMs = fromMs; afterMs <= untilMs; afterMs += 10_000) reports.push(...step(afterMs));
  return reports.findLast(({ data }) => data.circuitId === circuitId)?.data.reported;
};

const hc2: Item = { kind: 'circuit', family: 'heating', circuitId: 'hc2' };

describe('in an eventful home', () => {
  test('a fault is reported, cleared and reported again', () => {
    const { step, restart } = install({ isEventful: true });
    const reportsAt = (afterMs: number) =>
      step(afterMs).flatMap(({ type, data }) =>
        type.startsWith('fault.') ? [[type, data.code, data.componentId]] : [],
      );
    const [everyMs, forMs] = [10 * minuteMs, 4 * minuteMs];
    const [comes, goes] = ['fault.reported.v1', 'fault.cleared.v1'].map((type) => [[type, 'F.28', '1']]);
    expect([0, forMs - 1, forMs, everyMs - 1, everyMs].map(reportsAt)).toEqual([comes, [], goes, [], comes]);
    restart();
    expect(reportsAt(everyMs + 1)).toEqual([]);
  });

  test('a circuit is in frost protection for a night and has its old settings afterwards', () => {
    const { step } = install({ isEventful: true });
    const [everyMs, forMs] = [20 * minuteMs, 8 * minuteMs];
    const night = { operationMode: 'off', roomSetpointCelsius: 3, roomTemperatureCelsius: expect.closeTo(5, 0) };
    expect(newestUntil(step, 'hc2', 0, forMs - 1)).toMatchObject(night);
    const day = { operationMode: 'manual', roomSetpointCelsius: 6, roomTemperatureCelsius: expect.closeTo(6, 0) };
    expect(newestUntil(step, 'hc2', forMs, everyMs - 1)).toMatchObject(day);
  });

  test('a setting made during the night is applied at once and stays afterwards', () => {
    const { receive, step } = install({ isEventful: true });
    const forMs = 8 * minuteMs;
    step(0);
    receive(change(2, { roomSetpointCelsius: 12 }, hc2), 0);
    const applied = step(fulfilAfterMs).find(({ data }) => data.circuitId === 'hc2')?.data;
    expect(applied).toMatchObject({ fulfilsVersion: 2, reported: { operationMode: 'off', roomSetpointCelsius: 12 } });
    expect(newestUntil(step, 'hc2', forMs, forMs)).toMatchObject({ operationMode: 'manual', roomSetpointCelsius: 12 });
  });

  test('the tank is heated against legionella and has its old settings afterwards', () => {
    const { step } = install({ isEventful: true });
    const [everyMs, forMs] = [30 * minuteMs, 12 * minuteMs];
    const cycle = { operationMode: 'comfort', waterSetpointCelsius: 65, waterTemperatureCelsius: 65 };
    expect(newestUntil(step, 'dhw1', 0, forMs - 1)).toMatchObject(cycle);
    const others = { operationMode: 'auto', waterSetpointCelsius: 52 };
    expect(newestUntil(step, 'dhw1', forMs, everyMs - 1)).toMatchObject(others);
  });

  test('once a week, defrosting takes more heat from the house than was delivered', () => {
    const week = Array.from({ length: 7 }, (_, index) => addDays('2026-11-20', index));
    const heatOf = (hasDefrostDays: boolean) =>
      week.map(
        (day) =>
          energyOn(day, { heating: [], hasHotWater: true, canCool: false, hasDefrostDays }).heating?.heatKwh ?? 0,
      );
    expect(heatOf(true).filter((heatKwh) => heatKwh < 0)).toEqual([-0.4]);
    expect(heatOf(false).filter((heatKwh) => heatKwh < 0)).toEqual([]);
  });
});

test('no other home has episodes', () => {
  const { step } = install();
  for (let afterMs = 0; afterMs < 30 * minuteMs; afterMs += 10_000)
    for (const { type, data } of step(afterMs)) {
      expect(type).not.toMatch(/^fault/);
      expect(data.reported ?? { operationMode: 'auto' }).toMatchObject({ operationMode: 'auto' });
    }
});
