import { Problem } from '../../../api/problem.ts';
import type { Step } from '../step.ts';

/** Refuses a company that has no contract, and so no address to call from, or that is suspended. */
export const company: Step<'company'> =
  () =>
  ({ lookup: { contract } }) => {
    if (!contract) return new Problem('contract-not-found');
    return contract.state === 'suspended' ? new Problem('company-suspended') : { contract };
  };
