import { Problem } from '../../api/problem.ts';
import { isAddressInCidrs } from '../../domain/address.ts';
import { known, type MiddlewareFactory } from '../call.ts';

/** The gateway lets in the addresses of all companies; here each company has only its own. */
export const sourceAddress: MiddlewareFactory = () => ({
  before: (request) => {
    const { allowedCidrs } = known(request, 'contract');
    if (!isAddressInCidrs(known(request, 'sourceIp'), allowedCidrs)) throw new Problem('source-address-not-allowed');
  },
});
