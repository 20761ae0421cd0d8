import * as z from 'zod/mini';
import {
  connectivity,
  count,
  type Documentation,
  gatewayIdDescription,
  id,
  text,
  timestamp,
  type Values,
} from './common.ts';
import { liveness, livenessDescriptions, livenessExample } from './liveness.ts';
import {
  dhwOverride,
  dhwOverrideDescription,
  heatingOverride,
  heatingOverrideDescription,
  heatingOverrideExample,
  roomSetpoint,
} from './override.ts';

/** A temperature that a sensor measures; null if the sensor is open or short. */
const measuredCelsius = () => z.nullable(z.number());

const circuitIds = () => ({ gatewayId: id(), circuitId: id() });

/** What PATCH changes: all settings but the override, which has operations of its own. */
const heatingPatch = () => ({
  operationMode: z.enum(['auto', 'manual', 'off']),
  roomSetpointCelsius: roomSetpoint(),
  activeTimeProgramId: id(),
});

const dhwPatch = () => ({
  operationMode: z.enum(['off', 'eco', 'comfort', 'auto']),
  waterSetpointCelsius: z.number().check(z.minimum(40), z.maximum(60), z.multipleOf(1)),
  activeTimeProgramId: id(),
});

export const heatingSettings = () => ({ ...heatingPatch(), override: z.nullable(z.object(heatingOverride())) });
export const dhwSettings = () => ({ ...dhwPatch(), override: z.nullable(z.object(dhwOverride())) });

export const heatingMeasurements = () => ({
  roomTemperatureCelsius: measuredCelsius(),
  supplyTemperatureCelsius: measuredCelsius(),
});

export const dhwMeasurements = () => ({ waterTemperatureCelsius: measuredCelsius() });

/** What events have of a circuit. */
export const heatingCircuitInEvent = () =>
  z.looseObject({
    ...circuitIds(),
    ...heatingPatch(),
    override: z.nullable(z.looseObject(heatingOverride())),
    ...heatingMeasurements(),
    ...itemStatus(),
  });

export const heatingCircuit = () => z.extend(heatingCircuitInEvent(), liveness());

export const dhwCircuitInEvent = () =>
  z.looseObject({
    ...circuitIds(),
    ...dhwPatch(),
    override: z.nullable(z.looseObject(dhwOverride())),
    ...dhwMeasurements(),
    ...itemStatus(),
  });

export const dhwCircuit = () => z.extend(dhwCircuitInEvent(), liveness());

/** Any of the settings, at least one. */
const updateOf = <Shape extends z.core.$ZodShape>(settings: Shape) =>
  z
    .partial(z.strictObject(settings))
    .check(z.refine((update) => Object.keys(update).length > 0, 'Expected at least one property to change.'));

export const heatingCircuitUpdate = () => updateOf(heatingPatch());
export const dhwCircuitUpdate = () => updateOf(dhwPatch());

/** All that may be desired of a circuit at once. */
export const desiredHeatingCircuit = () => updateOf(heatingSettings());
export const desiredDhwCircuit = () => updateOf(dhwSettings());

export type HeatingSettings = Values<ReturnType<typeof heatingSettings>>;
export type HeatingMeasurements = Values<ReturnType<typeof heatingMeasurements>>;
export type DhwSettings = Values<ReturnType<typeof dhwSettings>>;
export type DhwMeasurements = Values<ReturnType<typeof dhwMeasurements>>;

/**
 * What circuits were not reported with from the first day, and what it is where an old item lacks it: a report may leave it out,
 * since its sender may be older than the property.
 */
export const laterProperties = {
  heating: { override: null } satisfies Later<
    HeatingSettings & HeatingMeasurements,
    | 'operationMode'
    | 'roomSetpointCelsius'
    | 'activeTimeProgramId'
    | 'roomTemperatureCelsius'
    | 'supplyTemperatureCelsius'
  >,
  dhw: { override: null } satisfies Later<
    DhwSettings & DhwMeasurements,
    'operationMode' | 'waterSetpointCelsius' | 'activeTimeProgramId' | 'waterTemperatureCelsius'
  >,
} as const;

/** The list of those of the first day never grows. */
type Later<Properties, OfTheFirstDay extends keyof Properties> = Omit<Properties, OfTheFirstDay>;

const circuitIdDescriptions = () => ({
  gatewayId: gatewayIdDescription,
  circuitId: 'The id of a circuit within its gateway and kind.',
});

const settingDescriptions = () => ({
  operationMode: 'How the circuit runs. In `auto` it follows its active time program.',
  activeTimeProgramId: 'The id of the time program that the circuit follows.',
});

export const heatingSettingDescriptions = () => ({
  ...settingDescriptions(),
  roomSetpointCelsius: 'The room temperature to reach, in degrees Celsius.',
});

export const dhwSettingDescriptions = () => ({
  ...settingDescriptions(),
  waterSetpointCelsius: 'The hot-water temperature to reach, in degrees Celsius.',
});

export const heatingCircuitInEventDocs = (): Documentation<typeof heatingCircuitInEvent> => ({
  example: {
    gatewayId: 'gw-1001',
    circuitId: 'hc1',
    operationMode: 'auto',
    roomSetpointCelsius: 21.5,
    activeTimeProgramId: '1',
    override: heatingOverrideExample(),
    roomTemperatureCelsius: 20.9,
    supplyTemperatureCelsius: 34.2,
    ...changeStatusExample(),
  },
  properties: {
    ...circuitIdDescriptions(),
    ...heatingSettingDescriptions(),
    override: heatingOverrideDescription(),
    roomTemperatureCelsius: 'The measured room temperature in degrees Celsius; null if the sensor is open or short.',
    supplyTemperatureCelsius:
      'The measured temperature in degrees Celsius of the water that flows to the radiators; null if the sensor is open or short.',
    ...itemStatusDescriptions(),
  },
});

export const heatingCircuitDocs = (): Documentation<typeof heatingCircuit> => ({
  example: { ...heatingCircuitInEventDocs().example, ...livenessExample() },
  properties: { ...heatingCircuitInEventDocs().properties, ...livenessDescriptions() },
});

export const dhwCircuitInEventDocs = (): Documentation<typeof dhwCircuitInEvent> => ({
  example: {
    gatewayId: 'gw-1001',
    circuitId: 'dhw1',
    operationMode: 'comfort',
    waterSetpointCelsius: 52,
    activeTimeProgramId: '1',
    override: null,
    waterTemperatureCelsius: 49.8,
    ...changeStatusExample(),
  },
  properties: {
    ...circuitIdDescriptions(),
    ...dhwSettingDescriptions(),
    override: dhwOverrideDescription(),
    waterTemperatureCelsius:
      'The measured hot-water temperature in degrees Celsius; null if the sensor is open or short.',
    ...itemStatusDescriptions(),
  },
});

export const dhwCircuitDocs = (): Documentation<typeof dhwCircuit> => ({
  example: { ...dhwCircuitInEventDocs().example, ...livenessExample() },
  properties: { ...dhwCircuitInEventDocs().properties, ...livenessDescriptions() },
});

export const heatingCircuitUpdateDocs = (): Documentation<typeof heatingCircuitUpdate> => ({
  example: { operationMode: 'auto', roomSetpointCelsius: 22 },
  properties: heatingSettingDescriptions(),
});

export const dhwCircuitUpdateDocs = (): Documentation<typeof dhwCircuitUpdate> => ({
  example: { waterSetpointCelsius: 55 },
  properties: dhwSettingDescriptions(),
});

/** Whether a requested change is still to be taken over, and how old the report is. */
const itemStatus = () => ({
  state: z.enum(['confirmed', 'pending']),
  version: count(),
  reportedAt: timestamp(),
  /** Only a pending change has it that the appliance has refused. */
  lastRefusal: z.optional(z.looseObject({ at: timestamp(), reason: text(), detail: text() })),
});

/** The same of a time program or a holiday, which only the answer to an update tells the connectivity of. */
export const changeStatus = () => ({
  ...itemStatus(),
  connectivity: z.optional(connectivity()),
});

const itemStatusDescriptions = () => ({
  state: '`pending` while the appliance has not yet reported the requested change, `confirmed` otherwise.',
  version: 'The number of the last requested change. Reports do not change it. The ETag holds it.',
  reportedAt: 'When the appliance last reported, UTC.',
  lastRefusal: {
    description:
      'Why the appliance did not take over the requested change when it last tried; absent if it did not refuse it. The change stays `pending` and is not withdrawn: request another one to replace it.',
    properties: {
      at: 'When the appliance refused the change, UTC.',
      reason: 'A short code of the appliance for the reason. New codes may be added.',
      detail: 'The reason in words.',
    },
  },
});

export const changeStatusDescriptions = () => ({
  ...itemStatusDescriptions(),
  connectivity: 'Only in the answer to a change: whether the gateway can receive the requested change now.',
});

export const changeStatusExample = () =>
  ({ state: 'confirmed', version: 7, reportedAt: '2026-11-20T16:30:00Z' }) as const;
