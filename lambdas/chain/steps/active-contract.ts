import { Problem } from '../../api/problem.ts';
import { known, type MiddlewareFactory } from '../call.ts';

/** A contract that has ended can be read, and nothing can be done under it. */
export const activeContract: MiddlewareFactory = () => ({
  before: (request) => {
    if (known(request, 'contract').state !== 'active') throw new Problem('contract-not-active');
  },
});
