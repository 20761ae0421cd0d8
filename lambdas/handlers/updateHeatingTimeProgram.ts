import { timeProgramBody } from '../answers/circuit.ts';
import { heating } from '../api/endpoints/circuit-families.ts';
import { serve } from '../chain/serve.ts';
import { updateTimeProgram } from '../remote-control/time-programs.ts';

export const handler = serve('updateHeatingTimeProgram', (call) => updateTimeProgram(heating, call, timeProgramBody));
