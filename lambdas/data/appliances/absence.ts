import { type Inventory, isRemoved } from '../../domain/gateway.ts';
import { batchGet } from '../store/reads.ts';
import type { Store } from '../store/store.ts';
import { type ApplianceItemKey, gatewayItemKey } from './appliances.ts';
import { inventoryItemKey } from './inventory.ts';

/** Why a gateway that a contract covers is not there. */
export type GatewayAbsence = 'not-described' | 'removed';

/**
 * The reason why a gateway is not there; undefined if it is. For requests that found nothing. Throws StoreUnavailableError.
 */
export const findGatewayAbsence = async (store: Store, gatewayId: string): Promise<GatewayAbsence | undefined> => {
  if (await hasItem(store, gatewayItemKey(gatewayId))) return undefined;
  const inventory = (await readItem(store, inventoryItemKey(gatewayId))) as Inventory | undefined;
  // A gateway whose state was erased with its owner comes back with its next description, as one that is new.
  const wasRemoved = inventory && isRemoved(inventory) && inventory.removedAtMs > 0 && !inventory.isErased;
  return wasRemoved ? 'removed' : 'not-described';
};

/** Whether there is such an item, strongly consistent. Throws StoreUnavailableError. */
export const hasItem = async (store: Store, key: ApplianceItemKey): Promise<boolean> =>
  (await readItem(store, key)) !== undefined;

const readItem = async (store: Store, key: ApplianceItemKey): Promise<object | undefined> => {
  const table = store.tableName('Appliances');
  // Each function of a gateway may get items in batches.
  const items = await batchGet(store, { [table]: { Keys: [key], ConsistentRead: true } });
  return items(table)[0];
};
