import { Problem } from '../../../api/problem.ts';
import type { Step } from '../step.ts';

/** The contract covers the gateway. Whether any other exists is nobody's business: both are this answer. */
export const gatewayGrant: Step<'gatewayGrant'> =
  () =>
  ({ lookup }) =>
    lookup.isGatewayGranted ? undefined : new Problem('gateway-not-in-contract');
