import { dhw } from '../api/circuit-families.ts';
import { serve } from '../middleware/serve.ts';
import { updateCircuit } from '../operations/circuits.ts';

export const handler = serve('updateDhwCircuit', (call) => updateCircuit(dhw, call));
