import { measurementUnits } from './generated/measurement-units.ts';
import type { BodyOf } from './operation-types.ts';

/** The unit of each measurement that this version of the client knows, by its name; null for a state. */
export { measurementUnits };

/** A name that this version knows, or any other: an appliance may have more measurements. */
export type MeasurementName = keyof typeof measurementUnits | (string & Record<never, never>);

/** A measurement of a home. */
export type Measurement = BodyOf<'getMeasurements'>['measurements'][number];

/**
 * Returns the measurement with a name, or undefined if the list has no such measurement: `measurementOf(measurements, 'outdoorTemperature')`. If
 * several components have one of that name, returns the one of the given component, or the first.
 */
export const measurementOf = (
  measurements: readonly Measurement[],
  name: MeasurementName,
  componentId?: string,
): Measurement | undefined =>
  measurements.find((each) => each.name === name && (componentId === undefined || each.componentId === componentId));
