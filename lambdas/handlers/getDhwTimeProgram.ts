import { serve } from '../chain/serve.ts';
import { getTimeProgram } from '../remote-control/time-programs.ts';

export const handler = serve('getDhwTimeProgram', (call) => getTimeProgram(call));
