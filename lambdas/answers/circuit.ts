import { type Circuit, readingOf, type Shadow } from '../domain/appliances/appliance.ts';
import { settingsOf, statusOf } from './shadow.ts';

export const heatingCircuitBody = (circuit: Circuit<'heating'>) => ({
  ...settingsOf(circuit),
  gatewayId: circuit.gatewayId,
  circuitId: circuit.circuitId,
  roomTemperatureCelsius: readingOf(circuit.reported.roomTemperatureCelsius),
  supplyTemperatureCelsius: readingOf(circuit.reported.supplyTemperatureCelsius),
  ...statusOf(circuit),
});

export const dhwCircuitBody = (circuit: Circuit<'dhw'>) => ({
  ...settingsOf(circuit),
  gatewayId: circuit.gatewayId,
  circuitId: circuit.circuitId,
  waterTemperatureCelsius: readingOf(circuit.reported.waterTemperatureCelsius),
  ...statusOf(circuit),
});

/** Both families' time programs; `Program` is what the family's own can hold. */
export const timeProgramBody = <Program extends object>(
  program: { readonly timeProgramId: string } & Shadow<Program>,
) => ({ timeProgramId: program.timeProgramId, ...settingsOf(program), ...statusOf(program) });
