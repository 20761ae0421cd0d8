import { expect, test } from 'vitest';
import { knownMeasurementNames } from '../../lambdas/api/schemas/known-measurements.ts';
import { measurementsIn, usableMeasurements } from '../../lambdas/domain/measurement.ts';
import { installedAppliance } from '../../simulator/appliance-state.ts';
import { measured } from '../../simulator/measured.ts';
import { install, startMs } from './scene.ts';

const minuteMs = 60_000;

const reportsOf = (appliance: Parameters<typeof install>[0], untilMs: number) => {
  const { step } = install(appliance);
  return Array.from({ length: untilMs / minuteMs }, (_, index) => step((index + 1) * minuteMs))
    .flat()
    .filter(({ type }) => type === 'measurements.reported.v1');
};

test('an appliance reports all measurements in one event at an interval; old and quiet ones report none', () => {
  expect(reportsOf({}, 20 * 60_000)).toHaveLength(4);
  for (const silent of [{ isOld: true }, { isQuiet: true }]) expect(reportsOf(silent, 20 * 60_000)).toEqual([]);
});

test('all measurements are usable, plausible, and one has a name that no client knows', () => {
  const state = installedAppliance({ gatewayId: 'gw-1001', name: 'Home' }, startMs);
  const { usable, faults } = usableMeasurements(measured(state, startMs), startMs);
  expect(faults).toEqual([]);
  const shown = measurementsIn(usable);
  const unknown = shown.filter(({ name }) => !knownMeasurementNames.some((known) => known === name));
  expect(unknown).toMatchObject([{ name: 'fanSpeed', unit: 'rpm', value: 620 }]);
  const values = Object.fromEntries(shown.map(({ name, value, state: word }) => [name, value ?? word]));
  expect(values).toMatchObject({ flowTemperature: 38, returnTemperature: 33, waterPressure: 1.6, compressor: 'on' });
  expect(values.heatOutput).toBeGreaterThan(2 * Number(values.electricPower));
});

test('the circulation pump follows its time program', () => {
  const state = installedAppliance({ gatewayId: 'gw-1001', name: 'Home' }, startMs);
  const day = new Date(startMs).toISOString().slice(0, 10);
  const pumpAt = (time: string) =>
    measured(state, Date.parse(`${day}T${time}Z`)).find(({ name }) => name === 'circulationPump')?.state;
  expect(['05:59', '06:00', '07:59', '08:00', '18:00', '21:00'].map(pumpAt)).toEqual([
    ...['off', 'on', 'on', 'off', 'on', 'off'],
  ]);
});
