import { type Measurement, temperature } from './measurement.ts';

/** The units of known measurements. */
export const measurementUnits = ['bar', 'celsius', 'litersPerHour', 'percent', 'watt'] as const;
export type MeasurementUnit = (typeof measurementUnits)[number];

/** A measurement that is a number in a unit, or a state, which has none. */
type KnownMeasurement = (Measurement & { readonly unit: MeasurementUnit }) | { readonly unit: null };

const celsius = { unit: 'celsius', ...temperature } as const;
/** A defrost takes heat from the house. */
const heat = { unit: 'watt', minimum: -1_000_000, maximum: 1_000_000 } as const;
const state = { unit: null } as const;

/** The measurements of a home by name; a home may have others. A new row is known from the next report on. */
export const knownMeasurements = {
  outdoorTemperature: celsius,
  flowTemperature: celsius,
  returnTemperature: celsius,
  bufferTemperature: celsius,
  waterPressure: { unit: 'bar', minimum: 0, maximum: 25 },
  flowRate: { unit: 'litersPerHour', minimum: 0, maximum: 100_000 },
  electricPower: { unit: 'watt', minimum: 0, maximum: 1_000_000 },
  heatOutput: heat,
  modulation: { unit: 'percent', minimum: 0, maximum: 150 },
  burner: state,
  compressor: state,
  heatingPump: state,
  circulationPump: state,
} as const satisfies Readonly<Record<string, KnownMeasurement>>;

export type KnownMeasurementName = keyof typeof knownMeasurements;

export const knownMeasurementNames = /* @__PURE__ */ Object.keys(knownMeasurements) as KnownMeasurementName[];

/** What each measurement is, without its unit. */
export const knownMeasurementDescriptions = (): { readonly [Name in KnownMeasurementName]: string } => ({
  outdoorTemperature: 'the temperature outdoors',
  flowTemperature: 'the temperature of the heating water that leaves the appliance',
  returnTemperature: 'the temperature of the heating water that comes back to the appliance',
  bufferTemperature: 'the temperature of the heating water in the buffer tank',
  waterPressure: 'the pressure of the heating water',
  flowRate: 'the flow of the heating water through the appliance',
  electricPower: 'the electricity that the appliance consumes now',
  heatOutput: 'the heat that the appliance delivers now; negative during a defrost',
  modulation: 'the output of the burner or the compressor, of its maximum',
  burner: 'whether the burner runs',
  compressor: 'whether the compressor runs',
  heatingPump: 'whether the pump of the heating water runs',
  circulationPump: 'whether the circulation pump of the hot water runs',
});
