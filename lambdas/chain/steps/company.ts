import { Problem } from '../../api/problem.ts';
import { known, type MiddlewareFactory } from '../call.ts';

/** The company has a contract and is not suspended. Without a contract it has no address to call from either. */
export const company: MiddlewareFactory = () => ({
  before: (request) => {
    const { contract } = known(request, 'admission');
    if (!contract) throw new Problem('contract-not-found');
    if (contract.state === 'suspended') throw new Problem('company-suspended');
    request.context.call.contract = contract;
  },
});
