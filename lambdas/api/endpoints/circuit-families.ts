import { dhwCircuit, dhwCircuitUpdate, heatingCircuit, heatingCircuitUpdate } from '../schemas/circuit.ts';
import {
  dhwTimeProgram,
  dhwTimeProgramUpdate,
  heatingTimeProgram,
  heatingTimeProgramUpdate,
} from '../schemas/time-program.ts';

/** The two families of circuits, alike but for their payloads: room heating, and domestic hot water (DHW). */
export const heating = {
  name: 'heating',
  noun: 'heating circuit',
  path: '/hvacs/{gatewayId}/heatingCircuits',
  circuitFunction: 'heatingCircuits',
  timeProgramFunction: 'heatingTimePrograms',
  circuit: heatingCircuit,
  circuitUpdate: heatingCircuitUpdate,
  timeProgram: heatingTimeProgram,
  timeProgramUpdate: heatingTimeProgramUpdate,
} as const;

export const dhw = {
  name: 'dhw',
  noun: 'hot-water circuit',
  path: '/hvacs/{gatewayId}/dhwCircuits',
  circuitFunction: 'dhwCircuits',
  timeProgramFunction: 'dhwTimePrograms',
  circuit: dhwCircuit,
  circuitUpdate: dhwCircuitUpdate,
  timeProgram: dhwTimeProgram,
  timeProgramUpdate: dhwTimeProgramUpdate,
} as const;

export type CircuitFamily = typeof heating | typeof dhw;
export type FamilyName = CircuitFamily['name'];
