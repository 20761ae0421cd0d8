import { Problem } from '../../../api/problem.ts';
import { isAddressInCidrs } from '../../../domain/address.ts';
import type { Step } from '../step.ts';

/** Refuses an address that is another company's: API Gateway lets in those of all companies. */
export const sourceAddress: Step<'sourceAddress'> =
  () =>
  ({ contract: { allowedCidrs }, sourceIp }) =>
    isAddressInCidrs(sourceIp, allowedCidrs) ? undefined : new Problem('source-address-not-allowed');
