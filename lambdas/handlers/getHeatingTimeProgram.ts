import { serve } from '../chain/serve.ts';
import { getTimeProgram } from '../remote-control/time-programs.ts';

export const handler = serve('getHeatingTimeProgram', (call) => getTimeProgram(call));
