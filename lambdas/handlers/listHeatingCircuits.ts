import { serve } from '../middleware/serve.ts';
import { listCircuits } from '../operations/circuits.ts';

export const handler = serve('listHeatingCircuits', (call) => listCircuits('heating', call));
