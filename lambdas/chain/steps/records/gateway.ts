import { toGateway } from '../../../data/appliances/appliances.ts';
import { StoreUnavailableError } from '../../../data/store/store-errors.ts';
import type { Step } from '../step.ts';

/** Takes the gateway that the path names from the lookup. The contract covers it: if it is absent, the fault is ours. */
export const gateway: Step<'gateway'> =
  () =>
  ({ lookup: { preloaded } }) => {
    if (preloaded.gateway) return { gateway: toGateway(preloaded.gateway) };
    throw new StoreUnavailableError('The contract covers a gateway of which the Appliances table knows nothing yet.');
  };
