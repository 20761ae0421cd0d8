import { Problem } from '../../api/problem.ts';
import { known, type MiddlewareFactory } from '../call.ts';
import { headerValues } from '../header-values.ts';

/** The call acts for the owner that the contract names, and says so itself. */
export const userId: MiddlewareFactory = () => ({
  before: (request) => {
    const values = headerValues(request.event, 'x-user-id');
    if (values.every((value) => value === '')) throw new Problem('user-id-missing');
    if (values.length > 1 || values[0] !== known(request, 'contract').userId) throw new Problem('user-id-mismatch');
  },
});
