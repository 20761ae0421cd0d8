import { serve } from '../middleware/serve.ts';
import { getTimeProgram } from '../operations/time-programs.ts';

export const handler = serve('getHeatingTimeProgram', (call) => getTimeProgram(call));
