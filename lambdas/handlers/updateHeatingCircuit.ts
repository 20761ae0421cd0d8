import { heating } from '../api/circuit-families.ts';
import { serve } from '../middleware/serve.ts';
import { updateCircuit } from '../operations/circuits.ts';

export const handler = serve('updateHeatingCircuit', (call) => updateCircuit(heating, call));
