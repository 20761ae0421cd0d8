import type { DhwMeasurements, HeatingMeasurements } from '../api/schemas/circuit.ts';
import { type Circuit, readingOf, type Shadow } from '../domain/appliances/appliance.ts';
import { settingsOf, statusOf } from './shadow.ts';

export const heatingCircuitBody = (circuit: Circuit<'heating'>) => ({
  ...settingsOf(circuit),
  gatewayId: circuit.gatewayId,
  circuitId: circuit.circuitId,
  ...heatingReadings(circuit),
  ...statusOf(circuit),
});

/** What the sensors measure. An event of the feed follows from anything else of a circuit, but not from these. */
export const heatingReadings = ({ reported }: Circuit<'heating'>): HeatingMeasurements => ({
  roomTemperatureCelsius: readingOf(reported.roomTemperatureCelsius),
  supplyTemperatureCelsius: readingOf(reported.supplyTemperatureCelsius),
});

export const dhwCircuitBody = (circuit: Circuit<'dhw'>) => ({
  ...settingsOf(circuit),
  gatewayId: circuit.gatewayId,
  circuitId: circuit.circuitId,
  ...dhwReadings(circuit),
  ...statusOf(circuit),
});

export const dhwReadings = ({ reported }: Circuit<'dhw'>): DhwMeasurements => ({
  waterTemperatureCelsius: readingOf(reported.waterTemperatureCelsius),
});

/** Both families' time programs; `Program` is what the family's own can hold. */
export const timeProgramBody = <Program extends object>(
  program: { readonly timeProgramId: string } & Shadow<Program>,
) => ({ timeProgramId: program.timeProgramId, ...settingsOf(program), ...statusOf(program) });
