import { type ApplianceFunction, applianceFunctions } from '../../api/schemas/gateway.ts';
import type { Block, Gateway } from './appliance.ts';

/** What is told of a gateway while it runs, each with the time at which it was told. */
export type GatewayState = Pick<Gateway, 'connectivity' | 'lastSeenAtMs'> & {
  readonly connectivityAtMs: number;
  readonly blocks: Readonly<Partial<Record<ApplianceFunction, StoredBlock>>>;
};

/** Of a function that is blocked no longer, only the time of that is left. */
export type StoredBlock = Partial<Block> & { readonly changedAtMs: number };

export const initialState: GatewayState = { connectivity: 'offline', connectivityAtMs: 0, lastSeenAtMs: 0, blocks: {} };

/** The state that a gateway begins anew with after a removal: at that time it was offline, and blocked nothing. */
export const stateAfterRemoval = (
  { connectivity, connectivityAtMs, lastSeenAtMs, blocks }: GatewayState,
  removedAtMs: number,
): GatewayState => ({
  ...(connectivityAtMs > removedAtMs
    ? { connectivity, connectivityAtMs }
    : { connectivity: 'offline', connectivityAtMs: removedAtMs }),
  lastSeenAtMs: Math.max(lastSeenAtMs, removedAtMs),
  blocks: Object.fromEntries(
    applianceFunctions.map((name) => {
      const { [name]: block } = blocks;
      return [name, block && block.changedAtMs > removedAtMs ? block : { changedAtMs: removedAtMs }];
    }),
  ),
});
