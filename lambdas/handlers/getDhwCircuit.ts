import { serve } from '../middleware/serve.ts';
import { getCircuit } from '../operations/circuits.ts';

export const handler = serve('getDhwCircuit', (call) => getCircuit(call));
