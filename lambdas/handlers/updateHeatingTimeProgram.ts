import { heating } from '../api/circuit-families.ts';
import { serve } from '../middleware/serve.ts';
import { updateTimeProgram } from '../operations/time-programs.ts';

export const handler = serve('updateHeatingTimeProgram', (call) => updateTimeProgram(heating, call));
