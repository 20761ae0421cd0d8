import { Problem } from '../../../api/problem.ts';
import { toCircuit } from '../../../data/appliances/appliances.ts';
import type { Step } from '../step.ts';

/** Takes the circuit that the path names from what was brought along. */
export const circuit: Step<'circuit'> =
  () =>
  async ({ preloaded }) => {
    const { circuit: item } = await preloaded;
    return item ? { circuit: toCircuit(item) } : new Problem('circuit-not-found');
  };
