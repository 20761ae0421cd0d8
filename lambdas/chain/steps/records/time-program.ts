import { Problem } from '../../../api/problem.ts';
import { toTimeProgram } from '../../../data/appliances/appliances.ts';
import type { Step } from '../step.ts';

/** Takes the time program that the path names from the lookup. */
export const timeProgram: Step<'timeProgram'> =
  () =>
  ({ lookup: { preloaded } }) =>
    preloaded.timeProgram
      ? { timeProgram: toTimeProgram(preloaded.timeProgram) }
      : new Problem('time-program-not-found');
