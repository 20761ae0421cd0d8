import * as z from 'zod/mini';
import { changeStatusExample, itemStatus, itemStatusDescriptions } from './change-status.ts';
import {
  circuitLimitsDescriptions,
  defaultLimits,
  defaultRanges,
  dhwLimits,
  heatingLimits,
  heatingLimitsDescriptions,
} from './circuit-limits.ts';
import { circulation, circulationDescription, defaultCirculationLevels } from './circulation.ts';
import { type Documentation, gatewayIdDescription, id, mayBeAbsent, openEnum, type Values, word } from './common.ts';
import { heatingCurve, heatingCurveDescription, heatingCurveExample, requestedHeatingCurve } from './heating-curve.ts';
import { liveness, livenessDescriptions, livenessExample } from './liveness.ts';
import { celsius, reportedMeasurements, requestedCelsius, shownMeasurements, temperature } from './measurement.ts';
import {
  dhwOverride,
  dhwOverrideDescription,
  heatingOverride,
  heatingOverrideDescription,
  heatingOverrideExample,
  reportedDhwOverride,
  reportedHeatingOverride,
} from './override.ts';

const circuitIds = () => ({ gatewayId: id(), circuitId: id() });

/** What PATCH changes: all settings but the override, which has operations of its own. */
const heatingPatch = () => ({
  operationMode: requestedMode('heating'),
  roomSetpointCelsius: requestedCelsius(),
  coolingSetpointCelsius: requestedCelsius(),
  heatingCurve: requestedHeatingCurve(),
  activeTimeProgramId: id(),
});

const dhwPatch = () => ({
  operationMode: requestedMode('dhw'),
  waterSetpointCelsius: requestedCelsius(),
  activeTimeProgramId: id(),
});

/** An operation mode of the family. The handler also checks that this circuit has it. */
const requestedMode = (family: keyof typeof defaultLimits) => word(defaultLimits[family].operationModes);

/** What an appliance measures of a circuit. */
export const heatingMeasurements = { roomTemperatureCelsius: temperature, supplyTemperatureCelsius: temperature };
export const dhwMeasurements = { waterTemperatureCelsius: temperature };

/** The settings as appliances have them: null if an appliance has not reported one, or none that can be shown. */
const shownHeatingSettings = () => ({
  operationMode: z.nullable(word(defaultLimits.heating.operationModes)),
  roomSetpointCelsius: z.nullable(celsius()),
  coolingSetpointCelsius: z.nullable(celsius()),
  heatingCurve: z.nullable(z.looseObject(heatingCurve())),
  activeTimeProgramId: z.nullable(id()),
  override: z.nullable(z.looseObject(heatingOverride())),
});

const shownDhwSettings = () => ({
  operationMode: z.nullable(word(defaultLimits.dhw.operationModes)),
  waterSetpointCelsius: z.nullable(celsius()),
  activeTimeProgramId: z.nullable(id()),
  override: z.nullable(z.looseObject(dhwOverride())),
});

/** The settings and measurements as a report may have them: each may be absent or null. */
export const reportedHeatingCircuit = () => ({
  operationMode: mayBeAbsent(openEnum(defaultLimits.heating.operationModes)),
  roomSetpointCelsius: mayBeAbsent(celsius()),
  coolingSetpointCelsius: mayBeAbsent(celsius()),
  heatingCurve: mayBeAbsent(z.object(heatingCurve())),
  activeTimeProgramId: mayBeAbsent(id()),
  override: mayBeAbsent(z.object(reportedHeatingOverride())),
  ...reportedMeasurements(heatingMeasurements),
});

export const reportedDhwCircuit = () => ({
  operationMode: mayBeAbsent(openEnum(defaultLimits.dhw.operationModes)),
  waterSetpointCelsius: mayBeAbsent(celsius()),
  activeTimeProgramId: mayBeAbsent(id()),
  override: mayBeAbsent(z.object(reportedDhwOverride())),
  ...reportedMeasurements(dhwMeasurements),
});

/** What events have of a circuit. The order is that of answers: ids, state, settings, measurements. */
export const heatingCircuitInEvent = () =>
  z.looseObject({
    ...circuitIds(),
    ...itemStatus(),
    ...shownHeatingSettings(),
    ...shownMeasurements(heatingMeasurements),
  });

export const heatingCircuit = () => z.extend(heatingCircuitInEvent(), { ...liveness(), limits: heatingLimits() });

export const dhwCircuitInEvent = () =>
  z.looseObject({ ...circuitIds(), ...itemStatus(), ...shownDhwSettings(), ...shownMeasurements(dhwMeasurements) });

export const dhwCircuit = () =>
  z.extend(dhwCircuitInEvent(), { ...liveness(), limits: dhwLimits(), circulation: circulation() });

/** Any of the settings, at least one. */
const updateOf = <Shape extends z.core.$ZodShape>(settings: Shape) =>
  z
    .partial(z.strictObject(settings))
    .check(z.refine((update) => Object.keys(update).length > 0, 'Expected at least one property to change.'));

export const heatingCircuitUpdate = () => updateOf(heatingPatch());
export const dhwCircuitUpdate = () => updateOf(dhwPatch());

/** All that may be desired of a circuit at once. */
export const desiredHeatingCircuit = () =>
  z.partial(z.strictObject({ ...heatingPatch(), override: z.nullable(z.object(heatingOverride())) }));
export const desiredDhwCircuit = () =>
  z.partial(z.strictObject({ ...dhwPatch(), override: z.nullable(z.object(dhwOverride())) }));

export type HeatingSettings = Values<ReturnType<typeof shownHeatingSettings>>;
export type DhwSettings = Values<ReturnType<typeof shownDhwSettings>>;
export type HeatingMeasurements = Readings<typeof heatingMeasurements>;
export type DhwMeasurements = Readings<typeof dhwMeasurements>;

type Readings<Rows> = { readonly [Name in keyof Rows]: number | null };

/** A circuit of which nothing was reported: each setting and measurement is null until it is. Answers have them in this order. */
export const unreported = {
  heating: {
    operationMode: null,
    roomSetpointCelsius: null,
    coolingSetpointCelsius: null,
    heatingCurve: null,
    activeTimeProgramId: null,
    override: null,
    roomTemperatureCelsius: null,
    supplyTemperatureCelsius: null,
  } satisfies AllNull<HeatingSettings & HeatingMeasurements>,
  dhw: {
    operationMode: null,
    waterSetpointCelsius: null,
    activeTimeProgramId: null,
    override: null,
    waterTemperatureCelsius: null,
  } satisfies AllNull<DhwSettings & DhwMeasurements>,
} as const;

type AllNull<Properties> = { readonly [Name in keyof Properties]: null };

const circuitIdDescriptions = () => ({
  gatewayId: gatewayIdDescription,
  circuitId: 'The id of a circuit within its gateway and kind.',
});

export const heatingSettingDescriptions = () => ({
  operationMode: 'The operation mode of the circuit. In `auto` the circuit follows its active time program.',
  activeTimeProgramId: 'The id of the time program that the circuit follows.',
  roomSetpointCelsius: 'The room temperature to reach, in degrees Celsius.',
  coolingSetpointCelsius: 'The room temperature to cool to in the operation mode `cooling`, in degrees Celsius.',
  heatingCurve: heatingCurveDescription(),
});

export const dhwSettingDescriptions = () => {
  const { operationMode, activeTimeProgramId } = heatingSettingDescriptions();
  return {
    operationMode,
    activeTimeProgramId,
    waterSetpointCelsius: 'The hot-water temperature to reach, in degrees Celsius.',
  };
};

/** The words about settings as appliances have them, which may be more than a partner can request. */
const shownDescriptions = <Settings extends { readonly operationMode: string; readonly activeTimeProgramId: string }>(
  family: keyof typeof defaultLimits,
  settings: Settings,
) => ({
  ...mapTexts(settings, (text) => `${text.slice(0, -1)}; null if the appliance has not reported it.`),
  operationMode: `${settings.operationMode} Known modes: ${defaultLimits[family].operationModes.map((mode) => `\`${mode}\``).join(', ')}. An appliance may have others: treat an unknown mode as neither on nor off. Null if the appliance has not reported it.`,
  activeTimeProgramId: 'The id of the time program that the circuit follows; null if it follows none.',
});

const mapTexts = <Texts extends Readonly<Record<string, string>>>(texts: Texts, change: (text: string) => string) =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, change(text)])) as {
    readonly [Name in keyof Texts]: string;
  };

const withoutSetting = (text: string): string => `${text} Null if the circuit has none that can be shown.`;

export const heatingCircuitInEventDocs = (): Documentation<typeof heatingCircuitInEvent> => {
  const { coolingSetpointCelsius, heatingCurve: curve, ...shownByAll } = heatingSettingDescriptions();
  return {
    example: {
      gatewayId: 'gw-1001',
      circuitId: 'hc1',
      ...changeStatusExample(),
      operationMode: 'auto',
      roomSetpointCelsius: 21.5,
      coolingSetpointCelsius: 24,
      heatingCurve: heatingCurveExample(),
      activeTimeProgramId: '1',
      override: heatingOverrideExample(),
      roomTemperatureCelsius: 20.9,
      supplyTemperatureCelsius: 34.2,
    },
    properties: {
      ...circuitIdDescriptions(),
      ...shownDescriptions('heating', shownByAll),
      ...mapTexts({ coolingSetpointCelsius }, withoutSetting),
      heatingCurve: { ...curve, description: withoutSetting(curve.description) },
      override: heatingOverrideDescription(),
      roomTemperatureCelsius: 'The measured room temperature in degrees Celsius; null if the sensor cannot be read.',
      supplyTemperatureCelsius:
        'The measured temperature in degrees Celsius of the water that flows to the radiators; null if the sensor cannot be read.',
      ...itemStatusDescriptions(),
    },
  };
};

export const heatingCircuitDocs = (): Documentation<typeof heatingCircuit> => ({
  example: {
    ...heatingCircuitInEventDocs().example,
    ...livenessExample(),
    limits: { ...defaultLimits.heating, ...defaultRanges },
  },
  properties: {
    ...heatingCircuitInEventDocs().properties,
    ...livenessDescriptions(),
    limits: limitsDocs(heatingLimitsDescriptions()),
  },
});

export const dhwCircuitInEventDocs = (): Documentation<typeof dhwCircuitInEvent> => ({
  example: {
    gatewayId: 'gw-1001',
    circuitId: 'dhw1',
    ...changeStatusExample(),
    operationMode: 'comfort',
    waterSetpointCelsius: 52,
    activeTimeProgramId: '1',
    override: null,
    waterTemperatureCelsius: 49.8,
  },
  properties: {
    ...circuitIdDescriptions(),
    ...shownDescriptions('dhw', dhwSettingDescriptions()),
    override: dhwOverrideDescription(),
    waterTemperatureCelsius:
      'The measured hot-water temperature in degrees Celsius; null if the sensor cannot be read.',
    ...itemStatusDescriptions(),
  },
});

export const dhwCircuitDocs = (): Documentation<typeof dhwCircuit> => ({
  example: {
    ...dhwCircuitInEventDocs().example,
    ...livenessExample(),
    limits: defaultLimits.dhw,
    circulation: { timeProgramId: '3', levels: defaultCirculationLevels },
  },
  properties: {
    ...dhwCircuitInEventDocs().properties,
    ...livenessDescriptions(),
    limits: limitsDocs(circuitLimitsDescriptions()),
    circulation: circulationDocs(),
  },
});

const circulationDocs = () => {
  const { description, properties } = circulationDescription();
  return {
    description: `${description}. Null if the appliance has no such time program.`,
    properties: { ...properties, levels: `${properties.levels}.` },
  };
};

const limitsDocs = <Properties>(properties: Properties) => ({
  description: 'The values that you can request for the circuit. The service refuses a request outside these limits.',
  properties,
});

export const heatingCircuitUpdateDocs = (): Documentation<typeof heatingCircuitUpdate> => ({
  example: { operationMode: 'auto', roomSetpointCelsius: 22 },
  properties: heatingSettingDescriptions(),
});

export const dhwCircuitUpdateDocs = (): Documentation<typeof dhwCircuitUpdate> => ({
  example: { waterSetpointCelsius: 55 },
  properties: dhwSettingDescriptions(),
});
