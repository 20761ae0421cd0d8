import { serve } from '../middleware/serve.ts';
import { listTimePrograms } from '../operations/time-programs.ts';

export const handler = serve('listDhwTimePrograms', (call) => listTimePrograms('dhw', call));
