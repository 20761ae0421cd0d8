import { heatingCircuitBody } from '../answers/circuit.ts';
import { heating } from '../api/endpoints/circuit-families.ts';
import { serve } from '../chain/serve.ts';
import { updateCircuit } from '../remote-control/circuits.ts';

export const handler = serve('updateHeatingCircuit', (call) => updateCircuit(heating, call, heatingCircuitBody));
