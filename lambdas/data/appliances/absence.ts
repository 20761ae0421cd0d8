import { type Inventory, isRemoved } from '../../domain/gateway.ts';
import { batchGet } from '../store/reads.ts';
import type { Store } from '../store/store.ts';
import { type ApplianceItemKey, gatewayItemKey } from './appliances.ts';
import { inventoryItemKey } from './inventory.ts';

/** Why a gateway that a contract covers does not exist. */
export type GatewayAbsence = 'not-described' | 'removed';

/** Returns why a gateway does not exist; undefined if it does. For requests that found nothing. */
export const findGatewayAbsence = async (store: Store, gatewayId: string): Promise<GatewayAbsence | undefined> => {
  if (await hasItem(store, gatewayItemKey(gatewayId))) return undefined;
  const inventory = (await readItem(store, inventoryItemKey(gatewayId))) as Inventory | undefined;
  // A gateway whose state was erased with its owner exists again after its next description, like a new one.
  const wasRemoved = inventory && isRemoved(inventory) && inventory.removedAtMs > 0 && !inventory.isErased;
  return wasRemoved ? 'removed' : 'not-described';
};

/** Whether the item exists, strongly consistent. */
export const hasItem = async (store: Store, key: ApplianceItemKey): Promise<boolean> =>
  (await readItem(store, key)) !== undefined;

const readItem = async (store: Store, key: ApplianceItemKey): Promise<object | undefined> => {
  const table = store.tableName('Appliances');
  // Every function that serves a gateway has the permission for BatchGetItem.
  const items = await batchGet(store, { [table]: { Keys: [key], ConsistentRead: true } });
  return items(table)[0];
};
