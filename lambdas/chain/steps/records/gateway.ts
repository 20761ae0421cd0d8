import { toGateway } from '../../../data/appliances/appliances.ts';
import { StoreUnavailableError } from '../../../data/store/store-errors.ts';
import type { Step } from '../step.ts';

/** The gateway that the path names is known. The contract covers it by now, so that its absence is not the client's fault. */
export const gateway: Step<'gateway'> =
  () =>
  ({ lookup: { preloaded } }) => {
    if (preloaded.gateway) return { gateway: toGateway(preloaded.gateway) };
    throw new StoreUnavailableError('The contract covers a gateway of which the Appliances table knows nothing yet.');
  };
