import { dhw } from '../api/circuit-families.ts';
import { serve } from '../middleware/serve.ts';
import { updateTimeProgram } from '../operations/time-programs.ts';

export const handler = serve('updateDhwTimeProgram', (call) => updateTimeProgram(dhw, call));
