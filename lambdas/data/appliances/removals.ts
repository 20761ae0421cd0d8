import { applianceFunctions } from '../../api/schemas/gateway.ts';
import { isRemoved, removed } from '../../domain/appliances/inventory.ts';
import type { Store } from '../store/store.ts';
import { deleteAbsentShadows } from './absent-shadows.ts';
import { gatewayItemKey } from './appliances.ts';
import { reportUnblock } from './blocks.ts';
import { reportConnectivity } from './connectivity.ts';
import type { FactOutcome } from './fact-outcome.ts';
import { changeInventory } from './inventory-row.ts';

/**
 * The gateway is gone, and all that was there until then. What arrives later of the time before does not revive it, also if the
 * gateway was installed anew meanwhile. Throws StoreUnavailableError.
 */
export const removeGateway = async (store: Store, gatewayId: string, atMs: number): Promise<FactOutcome> => {
  let isNewest = false;
  let isInstalledAnew = false;
  await changeInventory(store, gatewayId, (inventory) => {
    const next = removed(inventory, atMs);
    isNewest = next.removedAtMs > inventory.removedAtMs;
    isInstalledAnew = !isRemoved(next);
    const Delete = { TableName: store.tableName('Appliances'), Key: gatewayItemKey(gatewayId) };
    return { next, gateway: isInstalledAnew ? undefined : { Delete } };
  });
  if (isInstalledAnew) await forgetReports(store, gatewayId, atMs);
  await deleteAbsentShadows(store, gatewayId, () => true, atMs);
  return { outcome: isNewest ? 'applied' : 'stale' };
};

/** At the time of the removal the gateway was offline and blocked nothing: all that it reported before is older. */
const forgetReports = async (store: Store, gatewayId: string, atMs: number): Promise<void> => {
  await reportConnectivity(store, { gatewayId, connectivity: 'offline', lastSeenAtMs: atMs }, atMs);
  for (const name of applianceFunctions) await reportUnblock(store, gatewayId, name, atMs);
};
