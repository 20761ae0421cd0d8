import { Problem } from '../../../api/problem.ts';
import { toCircuit } from '../../../data/appliances/appliances.ts';
import type { Step } from '../step.ts';

/** Takes the circuit that the path names from the lookup. */
export const circuit: Step<'circuit'> =
  () =>
  ({ lookup: { preloaded } }) =>
    preloaded.circuit ? { circuit: toCircuit(preloaded.circuit) } : new Problem('circuit-not-found');
