import { dhwCircuitBody } from '../answers/circuit.ts';
import { serve } from '../chain/serve.ts';
import { listCircuits } from '../remote-control/circuits.ts';

export const handler = serve('listDhwCircuits', (call) => listCircuits('dhw', call, dhwCircuitBody));
