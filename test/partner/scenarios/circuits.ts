import {
  dhwCircuitDocs,
  dhwCircuitUpdate,
  heatingCircuitDocs,
  heatingCircuitUpdate,
} from '../../../lambdas/api/schemas/circuit.ts';
import { feedEventTypes } from '../../../lambdas/api/schemas/feed.ts';
import { knownMeasurementNames, knownMeasurements } from '../../../lambdas/api/schemas/known-measurements.ts';
import type { Scenario, Scenarios } from './scenario.ts';

type Update = {
  readonly shape: object;
  readonly parse: (value: unknown) => object;
};

/** The settings of a circuit: all that a change may have, as the service accepts it. */
const changeOf = (shown: Readonly<Record<string, unknown>>, { shape, parse }: Update) =>
  parse(Object.fromEntries(Object.keys(shape).map((name) => [name, shown[name] ?? undefined])));

const settings = (read: object, value: object): Scenario => ({
  program: [{ do: 'settingsOf', circuit: read }],
  steps: '',
  outcome: { ok: true, value },
});

const heating = heatingCircuitDocs().example;
const dhw = dhwCircuitDocs().example;
const heatingChange = changeOf(heating, heatingCircuitUpdate());
const { roomSetpointCelsius: _unknown, ...withoutSetpoint } = heatingChange as Record<string, unknown>;
const { heatingCurve: _fixed, ...withoutCurve } = heatingChange as Record<string, unknown>;
const { limits, ...inEvent } = heating;
const { levelSetpoints: _read, ...withoutLevels } = heatingChange as Record<string, unknown>;

const settingsOfCircuits: Scenarios = {
  'the settings of a heating circuit are a change that the service accepts': settings(heating, heatingChange),
  'the settings of a DHW circuit are a change that the service accepts': settings(
    dhw,
    changeOf(dhw, dhwCircuitUpdate()),
  ),
  'the end of a pending change is no setting': settings(
    { ...heating, validUntil: '2036-03-10T12:00:00Z' },
    heatingChange,
  ),
  'a setting that is not known is left out': settings({ ...heating, roomSetpointCelsius: null }, withoutSetpoint),
  'a setting that cannot be changed is left out': settings(
    { ...heating, limits: { ...limits, heatingCurve: null } },
    withoutCurve,
  ),
  'levels that cannot be changed are left out': settings(
    { ...heating, levelSetpoints: [{ level: 'eco', setpointCelsius: 18 }, ...(heating.levelSetpoints ?? [])] },
    heatingChange,
  ),
  'a circuit none of whose levels can be changed has no levels to change': settings(
    { ...heating, limits: { ...limits, levelSetpoints: [{ level: 'eco', minimum: 5, maximum: 30, step: 0.5 }] } },
    withoutLevels,
  ),
  'the settings of a circuit in an event, which has no limits, are all but the levels': settings(
    inEvent,
    withoutLevels,
  ),
};

const measured = [
  { name: 'flowTemperature', componentId: null },
  { name: 'flowTemperature', componentId: '1' },
  { name: 'flowTemperature', componentId: '2' },
  { name: 'fanSpeed', componentId: '1' },
];

const measurement = (name: string, componentId: string | undefined, index?: number): Scenario => ({
  program: [{ do: 'measurementOf', measurements: measured, name, ...(componentId && { componentId }) }],
  steps: '',
  outcome: { ok: true, value: index === undefined ? null : measured[index] },
});

const measurements: Scenarios = {
  'a measurement is found by its name': measurement('flowTemperature', undefined, 0),
  'a measurement is found by its component': measurement('flowTemperature', '2', 2),
  'a measurement of a newer name is found': measurement('fanSpeed', undefined, 3),
  'a measurement of another component is not found': measurement('fanSpeed', '2'),
  'a measurement that no component has is not found': measurement('burner', undefined),
};

export const circuits: Scenarios = {
  ...settingsOfCircuits,
  ...measurements,
  'the client knows the event types and the units of the service': {
    program: [{ do: 'constants' }],
    steps: '',
    outcome: {
      ok: true,
      eventTypes: Object.keys(feedEventTypes),
      measurementUnits: Object.fromEntries(knownMeasurementNames.map((name) => [name, knownMeasurements[name].unit])),
    },
  },
};
