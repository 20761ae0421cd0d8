import { timeProgramBody } from '../answers/circuit.ts';
import { taggedAnswer } from '../answers/shadow.ts';
import { serve } from '../chain/serve.ts';

export const handler = serve('getHeatingTimeProgram', ({ timeProgram }) =>
  taggedAnswer(timeProgram, timeProgramBody(timeProgram)),
);
