import { timeProgramBody } from '../answers/circuit.ts';
import { serve } from '../chain/serve.ts';
import { listTimePrograms } from '../remote-control/time-programs.ts';

export const handler = serve('listHeatingTimePrograms', (call) => listTimePrograms('heating', call, timeProgramBody));
