import * as z from 'zod/mini';
import { maxMeasurements, measurementDays } from '../limits.ts';
import {
  connectivity,
  type Documentation,
  gatewayIdDescription,
  id,
  line,
  maxIdCharacters,
  timestamp,
} from './common.ts';
import {
  knownMeasurementDescriptions,
  knownMeasurementNames,
  knownMeasurements,
  measurementUnits,
} from './known-measurements.ts';
import { livenessDescriptions, livenessExample } from './liveness.ts';

/** A word of an open list. The known ones are no examples here: every function would contain their table. */
const openWord = () => line(1, maxIdCharacters);

/** A number with its unit, or a state. */
export const measurement = () =>
  z.looseObject({
    name: openWord(),
    componentId: z.nullable(openWord()),
    value: z.nullable(z.number()),
    unit: z.nullable(openWord()),
    state: z.nullable(openWord()),
    measuredAt: timestamp(),
  });

export const gatewayMeasurements = () =>
  z.looseObject({
    gatewayId: id(),
    connectivity: connectivity(),
    connectivitySince: z.nullable(timestamp()),
    measurements: z.array(measurement()).check(z.maxLength(maxMeasurements)),
  });

/** The known names, each with its unit and its meaning. */
const knownNames = (): string =>
  knownMeasurementNames
    .map(
      (name) => `\`${name}\` (${knownMeasurements[name].unit ?? 'a state'}), ${knownMeasurementDescriptions()[name]}`,
    )
    .join('; ');

/** The words about a measurement, in answers and in reports. */
export const measurementDescriptions = () => ({
  name: `What was measured. Known names: ${knownNames()}.`,
  componentId: 'The component that was measured, by its id in `components` of the gateway',
  value: 'The measured number, in `unit`',
  unit: 'The unit of `value`',
  state: 'The measured state, for a measurement that is not a number: `on` or `off`, or another word of the appliance',
  measuredAt: 'When it was measured',
});

export const measurementDocs = (): Documentation<typeof measurement> => {
  const { name, componentId, value, unit, state, measuredAt } = measurementDescriptions();
  return {
    example: {
      name: 'outdoorTemperature',
      componentId: null,
      value: 4.5,
      unit: 'celsius',
      state: null,
      measuredAt: '2026-11-20T16:28:00Z',
    },
    properties: {
      name: `${name} An appliance may have others: ignore names that you do not know. The name and the component together identify a measurement.`,
      componentId: `${componentId}; null if the appliance names no component.`,
      value: `${value}; null if the sensor cannot be read, and for a state.`,
      unit: `${unit}. Known units: ${measurementUnits.map((each) => `\`${each}\``).join(', ')}. A measurement with a known name always has the unit of its name, one with another name the unit that the appliance states. Null if it has no unit, as a state.`,
      state: `${state}. Null for a number, and if the state cannot be read.`,
      measuredAt: `${measuredAt}, UTC.`,
    },
  };
};

export const gatewayMeasurementsDocs = (): Documentation<typeof gatewayMeasurements> => {
  const { connectivity, connectivitySince } = livenessExample();
  const { connectivitySince: sinceDescription } = livenessDescriptions();
  const { example, properties } = measurementDocs();
  const pump = { ...example, name: 'circulationPump', value: null, unit: null, state: 'on' };
  return {
    example: { gatewayId: 'gw-1001', connectivity, connectivitySince, measurements: [pump, example] },
    properties: {
      gatewayId: gatewayIdDescription,
      connectivity: 'Whether the service can reach the gateway now.',
      connectivitySince: sinceDescription,
      measurements: {
        description: `The newest measurement of each name and component, in the order of names. A measurement is shown for ${measurementDays} days, if nothing newer is reported. Measurements from before your access are not shown: it begins when the owner grants the gateway, and again when the owner gives consent after a withdrawal, or opens the contract after its end.`,
        properties,
      },
    },
  };
};
