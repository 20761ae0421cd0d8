import * as z from 'zod/mini';
import {
  changeStatusExample,
  changeTerms,
  changeTermsDescriptions,
  itemStatus,
  itemStatusDescriptions,
} from './change-status.ts';
import {
  dhwLimits,
  dhwLimitsDescriptions,
  heatingLimits,
  heatingLimitsDescriptions,
  usualCurveLimits,
  usualWords,
} from './circuit-limits.ts';
import { circulation, circulationDescription, defaultCirculationLevels } from './circulation.ts';
import {
  type Documentation,
  gatewayIdDescription,
  id,
  mapRows,
  mayBeAbsent,
  openEnum,
  text,
  type Values,
  word,
  writtenText,
} from './common.ts';
import { heatingCurve, heatingCurveDescription, heatingCurveExample, requestedHeatingCurve } from './heating-curve.ts';
import {
  levelSetpoints,
  levelSetpointsDescription,
  levelSetpointsExample,
  reportedLevelSetpoints,
  reportedTarget,
  requestedLevelSetpoints,
  target,
  targetDescription,
} from './level-setpoints.ts';
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
import type { Range } from './range.ts';
import { rareSetpoints, setpointDocs, setpoints } from './setpoints.ts';

const circuitIds = () => ({ gatewayId: id(), circuitId: id() });

/** What appliances report of a circuit besides settings and measurements: no partner can change it. */
const shownReadOnly = () => ({ displayName: z.nullable(text()), target: target() });
const reportedReadOnly = () => ({ displayName: mayBeAbsent(writtenText()), target: mayBeAbsent(reportedTarget()) });

/** What PATCH changes: all settings but the override, which has operations of its own. */
const heatingPatch = () => ({
  operationMode: requestedMode('heating'),
  ...mapRows(setpoints.heating, requestedCelsius),
  levelSetpoints: requestedLevelSetpoints(),
  heatingCurve: requestedHeatingCurve(),
  activeTimeProgramId: id(),
});

const dhwPatch = () => ({
  operationMode: requestedMode('dhw'),
  ...mapRows(setpoints.dhw, requestedCelsius),
  levelSetpoints: requestedLevelSetpoints(),
  activeTimeProgramId: id(),
});

/** An operation mode of the family. The handler also checks that this circuit has it. */
const requestedMode = (family: keyof typeof usualWords) => word(usualWords[family].operationModes);

/** What an appliance measures of a circuit. */
export const heatingMeasurements = { roomTemperatureCelsius: temperature, supplyTemperatureCelsius: temperature };
export const dhwMeasurements = { waterTemperatureCelsius: temperature };

/** The settings as appliances have them: null if an appliance has not reported one, or none that can be shown. */
const shownHeatingSettings = () => ({
  operationMode: z.nullable(word(usualWords.heating.operationModes)),
  ...mapRows(setpoints.heating, () => z.nullable(celsius())),
  levelSetpoints: z.nullable(levelSetpoints()),
  heatingCurve: z.nullable(z.looseObject(heatingCurve())),
  activeTimeProgramId: z.nullable(id()),
  override: z.nullable(z.looseObject(heatingOverride())),
});

const shownDhwSettings = () => ({
  operationMode: z.nullable(word(usualWords.dhw.operationModes)),
  ...mapRows(setpoints.dhw, () => z.nullable(celsius())),
  levelSetpoints: z.nullable(levelSetpoints()),
  activeTimeProgramId: z.nullable(id()),
  override: z.nullable(z.looseObject(dhwOverride())),
});

/** The settings and measurements as a report may have them: each may be absent or null. */
export const reportedHeatingCircuit = () => ({
  ...reportedReadOnly(),
  operationMode: mayBeAbsent(openEnum(usualWords.heating.operationModes)),
  ...mapRows(setpoints.heating, () => mayBeAbsent(celsius())),
  levelSetpoints: mayBeAbsent(reportedLevelSetpoints()),
  heatingCurve: mayBeAbsent(z.object(heatingCurve())),
  activeTimeProgramId: mayBeAbsent(id()),
  override: mayBeAbsent(z.object(reportedHeatingOverride())),
  ...reportedMeasurements(heatingMeasurements),
});

export const reportedDhwCircuit = () => ({
  ...reportedReadOnly(),
  operationMode: mayBeAbsent(openEnum(usualWords.dhw.operationModes)),
  ...mapRows(setpoints.dhw, () => mayBeAbsent(celsius())),
  levelSetpoints: mayBeAbsent(reportedLevelSetpoints()),
  activeTimeProgramId: mayBeAbsent(id()),
  override: mayBeAbsent(z.object(reportedDhwOverride())),
  ...reportedMeasurements(dhwMeasurements),
});

/** What events have of a circuit. The order is that of answers: ids, name, state, settings, target, measurements. */
export const heatingCircuitInEvent = () =>
  z.looseObject({
    ...circuitIds(),
    displayName: shownReadOnly().displayName,
    ...itemStatus(),
    ...shownHeatingSettings(),
    target: target(),
    ...shownMeasurements(heatingMeasurements),
  });

export const heatingCircuit = () => z.extend(heatingCircuitInEvent(), { ...liveness(), limits: heatingLimits() });

export const dhwCircuitInEvent = () =>
  z.looseObject({
    ...circuitIds(),
    displayName: shownReadOnly().displayName,
    ...itemStatus(),
    ...shownDhwSettings(),
    target: target(),
    ...shownMeasurements(dhwMeasurements),
  });

export const dhwCircuit = () =>
  z.extend(dhwCircuitInEvent(), { ...liveness(), limits: dhwLimits(), circulation: circulation() });

/** Any of the settings, at least one. */
const updateOf = <Shape extends z.core.$ZodShape>(settings: Shape) =>
  z
    .partial(z.strictObject({ ...settings, ...changeTerms() }))
    .check(z.refine((update) => Object.keys(update).some(isSetting), 'Expected at least one property to change.'));

const isSetting = (name: string): boolean => !Object.hasOwn(changeTerms(), name);

export const heatingCircuitUpdate = () => updateOf(heatingPatch());
export const dhwCircuitUpdate = () => updateOf(dhwPatch());

/** All that may be desired of a circuit at once. */
export const desiredHeatingCircuit = () =>
  z.partial(z.strictObject({ ...heatingPatch(), override: z.nullable(z.object(heatingOverride())) }));
export const desiredDhwCircuit = () =>
  z.partial(z.strictObject({ ...dhwPatch(), override: z.nullable(z.object(dhwOverride())) }));

export type ReadOnlyProperties = Values<ReturnType<typeof shownReadOnly>>;
export type HeatingSettings = Values<ReturnType<typeof shownHeatingSettings>>;
export type DhwSettings = Values<ReturnType<typeof shownDhwSettings>>;
export type HeatingMeasurements = Readings<typeof heatingMeasurements>;
export type DhwMeasurements = Readings<typeof dhwMeasurements>;

type Readings<Rows> = { readonly [Name in keyof Rows]: number | null };

/** A circuit of which nothing was reported: each setting and measurement is null until it is. Answers have them in this order. */
export const unreported = /* @__PURE__ */ unreportedCircuits();

function unreportedCircuits() {
  return {
    heating: {
      displayName: null,
      operationMode: null,
      ...mapRows(setpoints.heating, () => null),
      levelSetpoints: null,
      heatingCurve: null,
      activeTimeProgramId: null,
      override: null,
      target: null,
      ...mapRows(heatingMeasurements, () => null),
    } satisfies AllNull<ReadOnlyProperties & HeatingSettings & HeatingMeasurements>,
    dhw: {
      displayName: null,
      operationMode: null,
      ...mapRows(setpoints.dhw, () => null),
      levelSetpoints: null,
      activeTimeProgramId: null,
      override: null,
      target: null,
      ...mapRows(dhwMeasurements, () => null),
    } satisfies AllNull<ReadOnlyProperties & DhwSettings & DhwMeasurements>,
  };
}

type AllNull<Properties> = { readonly [Name in keyof Properties]: null };

const circuitIdDescriptions = () => ({
  gatewayId: gatewayIdDescription,
  circuitId: 'The id of a circuit within its gateway and family.',
});

export const circuitName = 'The name of the circuit, such as "Ground floor", as it was set at the appliance';

const shownName = `${circuitName}; null if it has none.`;

const descriptionOf = ({ description }: { readonly description: string }) => description;
const exampleOf = ({ example }: { readonly example: number }) => example;
const usualOf = ({ usual }: { readonly usual: Range }) => usual;

export const heatingSettingDescriptions = () => ({
  operationMode: 'The operation mode of the circuit. In `auto` the circuit follows its active time program.',
  activeTimeProgramId: 'The id of the time program that the circuit follows.',
  ...mapRows(setpointDocs().heating, descriptionOf),
  levelSetpoints: levelSetpointsDescription(),
  heatingCurve: heatingCurveDescription(),
});

export const dhwSettingDescriptions = () => {
  const { operationMode, activeTimeProgramId, levelSetpoints } = heatingSettingDescriptions();
  return {
    operationMode,
    activeTimeProgramId,
    ...mapRows(setpointDocs().dhw, descriptionOf),
    levelSetpoints,
  };
};

/** The words about settings as appliances have them, which may be more than a partner can request. */
const shownDescriptions = <Settings extends { readonly operationMode: string; readonly activeTimeProgramId: string }>(
  family: keyof typeof usualWords,
  settings: Settings,
) => ({
  ...mapRows(settings as Readonly<Record<keyof Settings, string>>, (text, name) =>
    rareSetpoints().includes(name)
      ? withoutSetting(text)
      : `${text.slice(0, -1)}; null if the appliance has not reported it.`,
  ),
  operationMode: `${settings.operationMode} Known modes: ${usualWords[family].operationModes.map((mode) => `\`${mode}\``).join(', ')}. An appliance may have others: treat an unknown mode as neither on nor off. Null if the appliance has not reported it.`,
  activeTimeProgramId: 'The id of the time program that the circuit follows; null if it follows none.',
});

const shownTargetDescription = () => {
  const { description, properties } = targetDescription();
  return { description: `${description} Null if the appliance does not report it.`, properties };
};

const withoutSetting = (text: string): string => `${text} Null if the circuit has none that can be shown.`;

export const heatingCircuitInEventDocs = (): Documentation<typeof heatingCircuitInEvent> => {
  const { heatingCurve: curve, levelSetpoints: levels, ...others } = heatingSettingDescriptions();
  return {
    example: {
      gatewayId: 'gw-1001',
      circuitId: 'hc1',
      displayName: 'Ground floor',
      ...changeStatusExample(),
      operationMode: 'auto',
      ...mapRows(setpointDocs().heating, exampleOf),
      levelSetpoints: levelSetpointsExample(),
      heatingCurve: heatingCurveExample(),
      activeTimeProgramId: '1',
      override: heatingOverrideExample(),
      target: { temperatureCelsius: 23, level: null },
      roomTemperatureCelsius: 20.9,
      supplyTemperatureCelsius: 34.2,
    },
    properties: {
      ...circuitIdDescriptions(),
      displayName: shownName,
      ...shownDescriptions('heating', others),
      levelSetpoints: { ...levels, description: withoutSetting(levels.description) },
      heatingCurve: { ...curve, description: withoutSetting(curve.description) },
      override: heatingOverrideDescription(),
      target: shownTargetDescription(),
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
    limits: {
      ...mapRows(setpoints.heating, usualOf),
      levelSetpoints: [{ level: 'reduced', minimum: 5, maximum: 30, step: 0.5 }],
      ...usualWords.heating,
      heatingCurve: usualCurveLimits,
    },
  },
  properties: {
    ...heatingCircuitInEventDocs().properties,
    ...livenessDescriptions(),
    limits: limitsDocs(heatingLimitsDescriptions()),
  },
});

export const dhwCircuitInEventDocs = (): Documentation<typeof dhwCircuitInEvent> => {
  const { levelSetpoints: levels, ...others } = dhwSettingDescriptions();
  return {
    example: {
      gatewayId: 'gw-1001',
      circuitId: 'dhw1',
      displayName: null,
      ...changeStatusExample(),
      operationMode: 'comfort',
      ...mapRows(setpointDocs().dhw, exampleOf),
      levelSetpoints: null,
      activeTimeProgramId: '1',
      override: null,
      target: { temperatureCelsius: 52, level: 'comfort' },
      waterTemperatureCelsius: 49.8,
    },
    properties: {
      ...circuitIdDescriptions(),
      displayName: shownName,
      ...shownDescriptions('dhw', others),
      levelSetpoints: { ...levels, description: withoutSetting(levels.description) },
      override: dhwOverrideDescription(),
      target: shownTargetDescription(),
      waterTemperatureCelsius:
        'The measured hot-water temperature in degrees Celsius; null if the sensor cannot be read.',
      ...itemStatusDescriptions(),
    },
  };
};

export const dhwCircuitDocs = (): Documentation<typeof dhwCircuit> => ({
  example: {
    ...dhwCircuitInEventDocs().example,
    ...livenessExample(),
    limits: { ...mapRows(setpoints.dhw, usualOf), levelSetpoints: null, ...usualWords.dhw },
    circulation: { timeProgramId: '3', levels: defaultCirculationLevels },
  },
  properties: {
    ...dhwCircuitInEventDocs().properties,
    ...livenessDescriptions(),
    limits: limitsDocs(dhwLimitsDescriptions()),
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
  properties: { ...heatingSettingDescriptions(), ...changeTermsDescriptions() },
});

export const dhwCircuitUpdateDocs = (): Documentation<typeof dhwCircuitUpdate> => ({
  example: { waterSetpointCelsius: 55 },
  properties: { ...dhwSettingDescriptions(), ...changeTermsDescriptions() },
});
