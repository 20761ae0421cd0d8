import { toGateway } from '../../../data/appliances/appliances.ts';
import { StoreUnavailableError } from '../../../data/store/store-errors.ts';
import type { Step } from '../step.ts';

/** Takes the gateway that the path names from what was brought along. The contract covers it: if it is absent, the fault is ours. */
export const gateway: Step<'gateway'> =
  () =>
  async ({ preloaded }) => {
    const { gateway: item } = await preloaded;
    if (item) return { gateway: toGateway(item) };
    throw new StoreUnavailableError('The contract covers a gateway of which the Appliances table knows nothing yet.');
  };
