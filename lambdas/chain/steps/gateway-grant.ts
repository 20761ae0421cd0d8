import { Problem } from '../../api/problem.ts';
import { known, type MiddlewareFactory } from '../call.ts';

/** The contract covers the gateway. Whether any other exists is nobody's business: both are this answer. */
export const gatewayGrant: MiddlewareFactory = () => ({
  before: (request) => {
    if (!known(request, 'admission').isGatewayGranted) throw new Problem('gateway-not-in-contract');
  },
});
