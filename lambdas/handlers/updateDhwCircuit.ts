import { dhwCircuitBody } from '../answers/circuit.ts';
import { dhw } from '../api/endpoints/circuit-families.ts';
import { serve } from '../chain/serve.ts';
import { updateCircuit } from '../remote-control/circuits.ts';

export const handler = serve('updateDhwCircuit', (call) => updateCircuit(dhw, call, dhwCircuitBody));
