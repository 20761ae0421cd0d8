import { Problem } from '../../../api/problem.ts';
import { isAddressInCidrs } from '../../../domain/address.ts';
import type { Step } from '../step.ts';

/** API Gateway lets in the addresses of all companies; here each company has only its own. */
export const sourceAddress: Step<'sourceAddress'> =
  () =>
  ({ contract: { allowedCidrs }, sourceIp }) =>
    isAddressInCidrs(sourceIp, allowedCidrs) ? undefined : new Problem('source-address-not-allowed');
