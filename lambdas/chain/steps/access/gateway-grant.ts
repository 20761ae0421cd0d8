import { Problem } from '../../../api/problem.ts';
import type { Step } from '../step.ts';

/** Lets pass what the contract covers. An unknown gateway and somebody else's get the same answer, so that neither shows. */
export const gatewayGrant: Step<'gatewayGrant'> =
  () =>
  ({ lookup }) =>
    lookup.isGatewayGranted ? undefined : new Problem('gateway-not-in-contract');
