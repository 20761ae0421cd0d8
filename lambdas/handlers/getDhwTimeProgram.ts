import { serve } from '../middleware/serve.ts';
import { getTimeProgram } from '../operations/time-programs.ts';

export const handler = serve('getDhwTimeProgram', (call) => getTimeProgram(call));
