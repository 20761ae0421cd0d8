import { Problem } from '../../../api/problem.ts';
import { toTimeProgram } from '../../../data/appliances/appliances.ts';
import type { Step } from '../step.ts';

/** The time program that the path names is there. */
export const timeProgram: Step<'timeProgram'> =
  () =>
  ({ lookup: { preloaded } }) =>
    preloaded.timeProgram
      ? { timeProgram: toTimeProgram(preloaded.timeProgram) }
      : new Problem('time-program-not-found');
