import { expect, expectTypeOf, test } from 'vitest';
import {
  dhwCircuitDocs,
  dhwCircuitUpdate,
  heatingCircuitDocs,
  heatingCircuitUpdate,
} from '../../../lambdas/api/schemas/circuit.ts';
import type { components } from '../../../partner/client/generated/types.ts';
import { settingsOf } from '../../../partner/client/settings.ts';

type Schemas = components['schemas'];

test.each([
  ['a heating circuit', heatingCircuitDocs().example, heatingCircuitUpdate()],
  ['a DHW circuit', dhwCircuitDocs().example, dhwCircuitUpdate()],
])('the settings of %s that was read are a change that the service accepts', (_, read, update) => {
  const settings = settingsOf(read as Schemas['HeatingCircuit']);
  expect(Object.keys(settings).toSorted()).toEqual(Object.keys(update.shape).toSorted());
  expect(read).toMatchObject(settings);
  expect(update.safeParse(settings).success).toBe(true);
});

test('settings that are not known are left out', () => {
  const read = { ...heatingCircuitDocs().example, roomSetpointCelsius: null } as Schemas['HeatingCircuit'];
  expect(settingsOf(read)).not.toHaveProperty('roomSetpointCelsius');
});

test('settings that cannot be changed are left out', () => {
  const { limits, ...shown } = heatingCircuitDocs().example;
  const read = { ...shown, limits: { ...limits, heatingCurve: null } } as Schemas['HeatingCircuit'];
  expect(settingsOf(read)).not.toHaveProperty('heatingCurve');
  expect(settingsOf(read)).toHaveProperty('coolingSetpointCelsius');
  // An event has no limits.
  expect(settingsOf(shown as Schemas['HeatingCircuitInEvent'])).toHaveProperty('heatingCurve');
});

test('settings have the type of the change of their circuit', () => {
  expectTypeOf(settingsOf({} as Schemas['HeatingCircuit'])).toEqualTypeOf<Schemas['HeatingCircuitUpdate']>();
  expectTypeOf(settingsOf({} as Schemas['DhwCircuit'])).toEqualTypeOf<Schemas['DhwCircuitUpdate']>();
});
