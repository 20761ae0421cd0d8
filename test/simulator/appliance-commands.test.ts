import { describe, expect, test } from 'vitest';
import { toDate, toTimestamp } from '../../lambdas/domain/time.ts';
import {
  type ApplianceCommand,
  acceptChanges,
  blockFunction,
  clearFault,
  correctDay,
  endDay,
  endHour,
  goOffline,
  goOnline,
  refuseChanges,
  reportFault,
  setByOwner,
  unblockFunction,
} from '../../simulator/appliance-commands.ts';
import { blockDurationMs } from '../../simulator/appliance-state.ts';
import { fulfilAfterMs } from '../../simulator/simulated-appliance.ts';
import { change, circuit, inactiveProgram, install, reportOfCircuit, startMs } from './scene.ts';

test('an offline appliance applies and reports nothing until it is online, even in the next run', () => {
  const { command, receive, step, restart } = install();
  expect(command(goOffline, 0)).toMatchObject([{ type: 'gateway.connectivity.v1', data: { connectivity: 'offline' } }]);
  receive(change(2, { roomSetpointCelsius: 23 }), 1);
  restart();
  expect(step(10 * blockDurationMs)).toEqual([]);
  expect(command(goOffline, 10 * blockDurationMs)).toBe('already');
  const online = { type: 'gateway.connectivity.v1', data: { connectivity: 'online' } };
  expect(command(goOnline, 10 * blockDurationMs)).toMatchObject([online]);
  receive(change(2, { roomSetpointCelsius: 23 }), 10 * blockDurationMs);
  expect(step(10 * blockDurationMs + fulfilAfterMs)).toContainEqual(reportOfCircuit(2, { roomSetpointCelsius: 23 }));
});

test('an appliance that was never online can go online', () => {
  const { command, receive, step } = install({ isOffline: true });
  expect(command(goOnline, 0)).toMatchObject([{ data: { connectivity: 'online' } }]);
  receive(change(2, { roomSetpointCelsius: 23 }), 0);
  expect(step(fulfilAfterMs)).toHaveLength(1);
});

test.each([
  ['circuit', circuit, { roomSetpointCelsius: 23 }],
  ['time program', inactiveProgram, { name: 'Empty', switchPoints: [] }],
  ['holiday', { kind: 'holiday' as const }, { holiday: null }],
])('a refused change of a %s is reported once, and applied when changes are accepted again', (_, item, desired) => {
  const { command, receive, step } = install();
  expect([command(refuseChanges, 0), command(refuseChanges, 0)]).toEqual([[], 'already']);
  receive(change(2, desired, item), 0);
  expect(step(fulfilAfterMs - 1)).toEqual([]);
  const data = { item, version: 2, reason: expect.any(String), detail: expect.any(String) };
  expect(step(fulfilAfterMs)).toMatchObject([{ type: 'change.refused.v1', data }]);
  expect(step(2 * fulfilAfterMs)).toEqual([]);
  expect([command(acceptChanges, 3 * fulfilAfterMs), command(acceptChanges, 3 * fulfilAfterMs)]).toEqual([
    [],
    'already',
  ]);
  expect(step(3 * fulfilAfterMs)).toMatchObject([{ data: { fulfilsVersion: 2 } }]);
});

test('a function is blocked for an hour, or until it is unblocked', () => {
  const { command } = install();
  const data = { function: 'dhwCircuits' };
  expect(command(unblockFunction('dhwCircuits'), 0)).toBe('already');
  expect(command(blockFunction('dhwCircuits'), 0)).toMatchObject([{ type: 'function.blocked.v1', data }]);
  expect(command(unblockFunction('dhwCircuits'), 1)).toMatchObject([{ type: 'function.unblocked.v1', data }]);
  expect(command(unblockFunction('dhwCircuits'), 2)).toBe('already');
  command(blockFunction('dhwCircuits'), 3);
  expect(command(unblockFunction('dhwCircuits'), 3 + blockDurationMs)).toBe('already');
});

test('an appliance that blocks a function repeatedly pauses after an unblock before it blocks again', () => {
  const { command, step } = install({ blocks: ['heatingTimePrograms'] });
  expect(command(unblockFunction('heatingTimePrograms'), 1)).toHaveLength(1);
  const blocksAt = (afterMs: number) => step(afterMs).filter(({ type }) => type === 'function.blocked.v1');
  expect([blocksAt(60_000), blocksAt(60_001)]).toMatchObject([[], [{}]]);
});

test('faults are reported and cleared by code', () => {
  const { command } = install();
  expect(command(clearFault('F.75'), 0)).toBe('already');
  expect(command(reportFault('F.75'), 0)).toMatchObject([{ type: 'fault.reported.v1', data: { code: 'F.75' } }]);
  expect(command(reportFault('F.75'), 1)).toBe('already');
  expect(command(reportFault('F.12'), 1)).toHaveLength(1);
  expect(command(clearFault('F.75'), 2)).toMatchObject([{ type: 'fault.cleared.v1', data: { code: 'F.75' } }]);
  expect(command(clearFault('F.12'), 3)).toHaveLength(1);
});

test('a setting by the owner at the appliance is reported immediately and only once', () => {
  const { command, step } = install();
  expect(command(setByOwner(19.5), 0)).toEqual([reportOfCircuit(undefined, { roomSetpointCelsius: 19.5 })]);
  expect(step(1)).toEqual([]);
  expect(command(setByOwner(19.5), 2)).toBe('already');
});

describe('energy', () => {
  test('of a day ended early is reported once as at its end, and not again when the day is over', () => {
    const { command, step } = install();
    const dayMs = 86_400_000;
    const daysIn = (reports: ReturnType<typeof step>) =>
      reports.flatMap(({ type, data }) => ('day' in data ? [[type, data.day]] : []));
    const ofToday = daysIn(install().step(dayMs));
    expect(ofToday).toContainEqual(['energy.reported.v1', toDate(startMs)]);
    expect(daysIn(command(endDay, 0) as ReturnType<typeof step>)).toEqual(ofToday);
    expect(command(endDay, 1)).toBe('already');
    expect(daysIn(step(dayMs))).toEqual([]);
    const ofTomorrow = ofToday.map(([type]) => [type, toDate(startMs + dayMs)]);
    expect(daysIn(command(endDay, dayMs) as ReturnType<typeof step>)).toEqual(ofTomorrow);
  });

  test('of an hour ended early is reported once, and not again when it is over; an old appliance has none', () => {
    const { command, step } = install();
    const hourMs = 3_600_000;
    const start = toTimestamp(startMs);
    expect(command(endHour, 60_000)).toMatchObject([{ type: 'hourly-energy.reported.v1', data: { start } }]);
    expect(command(endHour, 60_001)).toBe('already');
    const ofHours = (afterMs: number) => step(afterMs).filter(({ type }) => type === 'hourly-energy.reported.v1');
    expect(ofHours(hourMs)).toEqual([]);
    expect(ofHours(2 * hourMs)).toMatchObject([{ data: { start: toTimestamp(startMs + hourMs) } }]);
    expect(install({ isOld: true }).command(endHour, 0)).toBe('unsupported');
  });

  test('of the last day has more heat after each correction', () => {
    const { command } = install();
    command(endDay, 0);
    const heat = [1, 2, 3].map((afterMs) => {
      const [report] = command(correctDay, afterMs) as unknown as {
        data: { day: string; heating: { heatKwh: number } };
      }[];
      expect(report?.data.day).toBe(toDate(startMs));
      return report?.data.heating.heatKwh ?? 0;
    });
    expect(new Set(heat).size).toBe(3);
    expect(heat).toEqual(heat.toSorted((one, other) => one - other));
  });
});

test.each<[string, ApplianceCommand]>([
  ['block', blockFunction('dhwCircuits')],
  ['unblock', unblockFunction('dhwCircuits')],
  ['fault', reportFault('F.75')],
  ['cleared fault', clearFault('F.75')],
  ['setting of the owner', setByOwner(19.5)],
  ['end of a day', endDay],
  ['end of an hour', endHour],
  ['correction of a day', correctDay],
])('nothing is reported of a %s while the gateway is offline', (_, command) => {
  expect(install({ isOffline: true }).command(command, 0)).toBe('unreachable');
});
