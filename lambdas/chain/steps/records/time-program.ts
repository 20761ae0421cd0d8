import { Problem } from '../../../api/problem.ts';
import { toTimeProgram } from '../../../data/appliances/appliances.ts';
import type { Step } from '../step.ts';

/** Takes the time program that the path names from what was brought along. */
export const timeProgram: Step<'timeProgram'> =
  () =>
  async ({ preloaded }) => {
    const { timeProgram: item } = await preloaded;
    return item ? { timeProgram: toTimeProgram(item) } : new Problem('time-program-not-found');
  };
