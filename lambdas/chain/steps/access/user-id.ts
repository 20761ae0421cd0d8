import { Problem } from '../../../api/problem.ts';
import { headerValues } from '../header-values.ts';
import type { Step } from '../step.ts';

/** Refuses a request that does not name the contract's owner in `x-user-id`. */
export const userId: Step<'userId'> =
  () =>
  ({ event, contract }) => {
    const values = headerValues(event, 'x-user-id');
    if (values.every((value) => value === '')) return new Problem('user-id-missing');
    return values.length === 1 && values[0] === contract.userId ? undefined : new Problem('user-id-mismatch');
  };
