import { Problem } from '../../../api/problem.ts';
import type { Step } from '../step.ts';

/** The company has a contract and is not suspended. Without a contract it has no address to call from either. */
export const company: Step<'company'> =
  () =>
  ({ lookup: { contract } }) => {
    if (!contract) return new Problem('contract-not-found');
    return contract.state === 'suspended' ? new Problem('company-suspended') : { contract };
  };
