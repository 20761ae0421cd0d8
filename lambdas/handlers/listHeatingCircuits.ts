import { heatingCircuitBody } from '../answers/circuit.ts';
import { serve } from '../chain/serve.ts';
import { listCircuits } from '../remote-control/circuits.ts';

export const handler = serve('listHeatingCircuits', (call) => listCircuits('heating', call, heatingCircuitBody));
