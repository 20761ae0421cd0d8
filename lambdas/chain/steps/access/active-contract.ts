import { Problem } from '../../../api/problem.ts';
import type { Step } from '../step.ts';

/** A contract that has ended can be read, and nothing can be done under it. */
export const activeContract: Step<'activeContract'> =
  () =>
  ({ contract }) =>
    contract.state === 'active' ? undefined : new Problem('contract-not-active');
