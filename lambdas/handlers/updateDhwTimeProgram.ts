import { timeProgramBody } from '../answers/circuit.ts';
import { dhw } from '../api/endpoints/circuit-families.ts';
import { serve } from '../chain/serve.ts';
import { updateTimeProgram } from '../remote-control/time-programs.ts';

export const handler = serve('updateDhwTimeProgram', (call) => updateTimeProgram(dhw, call, timeProgramBody));
