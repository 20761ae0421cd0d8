import type { Requester, Shadow } from '../../domain/appliances/appliance.ts';
import type { Store } from '../store/store.ts';
import { readShadows, type StoredShadow } from './appliances.ts';

/** A requested change that its appliance has not fulfilled yet: the item by its sort key, and all that is desired of it. */
export type OpenChange = {
  readonly gatewayId: string;
  readonly sk: string;
  readonly version: number;
  readonly desired: NonNullable<Shadow['desired']>;
  readonly desiredBy: Requester;
};

/** The requested changes of a gateway that are open, strongly consistent. Throws StoreUnavailableError. */
export const listOpenChanges = async (store: Store, gatewayId: string): Promise<OpenChange[]> =>
  (await readShadows(store, gatewayId)).flatMap(openChangeOf(gatewayId));

const openChangeOf =
  (gatewayId: string) =>
  ({ sk, version, desired, desiredBy }: StoredShadow): OpenChange[] =>
    desired && desiredBy ? [{ gatewayId, sk, version, desired, desiredBy }] : [];
