import { expect, test } from 'vitest';
import { livelyForMs, nextDueMs } from '../../../lambdas/sandbox/due-times.ts';
import { type ApplianceState, installedAppliance } from '../../../simulator/appliance-state.ts';

const nowMs = Date.parse('2026-11-21T10:00:00Z');
const minuteMs = 60_000;
const home = () => installedAppliance({ gatewayId: 'sim-acme-1', name: 'Home 1' }, nowMs);
const inMinutes = (minutes: number) => new Date(nowMs + minutes * minuteMs).toISOString();

const overriddenUntil = (until: string): ApplianceState => {
  const state = home();
  for (const circuit of state.circuits.slice(1, 2)) circuit.content = { ...circuit.content, override: { until } };
  return state;
};

const awayUntil = (to: string): ApplianceState => {
  const state = home();
  const holiday = { from: inMinutes(-10), to, roomSetpointCelsius: 15 };
  if (state.holiday) state.holiday.content = { holiday };
  return state;
};

test('a home is lively for an hour', () => {
  expect(livelyForMs).toBe(60 * minuteMs);
});

test.each<[string, ApplianceState, livelyForMinutes: number, dueInMinutes: number]>([
  ['in a minute while it is lively', home(), 1 / minuteMs, 1],
  ['in an hour when it is not lively any more', home(), 0, 60],
  ['when its override ends', overriddenUntil(inMinutes(20)), 0, 20],
  ['in an hour if its override ends later', overriddenUntil(inMinutes(61)), 0, 60],
  ['in an hour if its override has just ended', overriddenUntil(inMinutes(0)), 0, 60],
  ['when its holiday ends', awayUntil(inMinutes(30)), 0, 30],
  ['when its gateway reports that it is online', { ...home(), reportedOnlineAtMs: nowMs - 59 * minuteMs }, 0, 1],
  ['in an hour if its gateway is offline', { ...home(), isOffline: true, reportedOnlineAtMs: nowMs - minuteMs }, 0, 60],
  ['in a minute if its holiday ends later', awayUntil(inMinutes(30)), 5, 1],
])('a home is due %s', (_, state, livelyForMinutes, dueInMinutes) => {
  expect(nextDueMs(state, nowMs + livelyForMinutes * minuteMs, nowMs)).toBe(nowMs + dueInMinutes * minuteMs);
});

test('a home without holidays is due in an hour', () => {
  const old = installedAppliance({ gatewayId: 'sim-acme-2', name: 'Home 2', isOld: true }, nowMs);
  expect(nextDueMs(old, nowMs, nowMs)).toBe(nowMs + 60 * minuteMs);
});
