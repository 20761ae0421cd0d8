import { serve } from '../chain/serve.ts';
import { getCircuit } from '../remote-control/circuits.ts';

export const handler = serve('getHeatingCircuit', (call) => getCircuit(call));
