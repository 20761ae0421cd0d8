import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { applianceFunctions } from '../../api/schemas/gateway.ts';
import { type GatewayState, initialState, stateAfterRemoval } from '../../domain/appliances/gateway-state.ts';
import { type Inventory, isRemoved, removed } from '../../domain/appliances/inventory.ts';
import type { Store } from '../store/store.ts';
import { deleteAbsentShadows } from './absent-shadows.ts';
import { gatewayItemKey } from './appliances.ts';
import { reportUnblock } from './blocks.ts';
import { reportConnectivity } from './connectivity.ts';
import type { FactOutcome } from './fact-outcome.ts';
import { changeInventory, type InventoryChange } from './inventory-row.ts';

/**
 * The gateway is gone, and all that was there until then. What arrives later of the time before does not revive it, also if the
 * gateway was installed anew meanwhile. Throws StoreUnavailableError.
 */
export const removeGateway = async (store: Store, gatewayId: string, atMs: number): Promise<FactOutcome> => {
  let isNewest = false;
  let isInstalledAnew = false;
  await changeInventory(store, gatewayId, async (inventory) => {
    const next = removed(inventory, atMs);
    isNewest = next.removedAtMs > inventory.removedAtMs;
    isInstalledAnew = !isRemoved(next);
    return isNewest && !isInstalledAnew ? takeAway(store, gatewayId, next) : { next };
  });
  if (isInstalledAnew) await forgetReports(store, gatewayId, atMs);
  await deleteAbsentShadows(store, gatewayId, () => true, atMs);
  return { outcome: isNewest ? 'applied' : 'stale' };
};

/** Deletes the gateway as it was read, and keeps what was told already of the time after the removal. */
const takeAway = async (store: Store, gatewayId: string, inventory: Inventory): Promise<InventoryChange> => {
  const table = { TableName: store.tableName('Appliances'), Key: gatewayItemKey(gatewayId) };
  const { Item } = await store.send(new GetCommand({ ...table, ConsistentRead: true }));
  const state = (Item ?? inventory.nextState ?? initialState) as GatewayState;
  return {
    next: { ...inventory, nextState: stateAfterRemoval(state, inventory.removedAtMs) },
    gateway: Item && {
      Delete: {
        ...table,
        ConditionExpression: 'connectivityAtMs = :connectivityAt AND lastSeenAtMs = :lastSeenAt AND blocks = :blocks',
        ExpressionAttributeValues: {
          ':connectivityAt': state.connectivityAtMs,
          ':lastSeenAt': state.lastSeenAtMs,
          ':blocks': state.blocks,
        },
      },
    },
  };
};

/** At the time of the removal the gateway was offline and blocked nothing: all that it reported before is older. */
const forgetReports = async (store: Store, gatewayId: string, atMs: number): Promise<void> => {
  await reportConnectivity(store, { gatewayId, connectivity: 'offline', lastSeenAtMs: atMs }, atMs);
  for (const name of applianceFunctions) await reportUnblock(store, gatewayId, name, atMs);
};
