import type { FactTimes, Refusal, Shadow } from '../../domain/appliances/appliance.ts';
import { absentAt, isRemoved } from '../../domain/appliances/inventory.ts';
import { updateIf } from '../store/guarded-update.ts';
import type { Store } from '../store/store.ts';
import type { ApplianceItemKey } from './appliances.ts';
import type { FactOutcome } from './fact-outcome.ts';
import { outcomeWithoutGateway, readInventory } from './inventory-row.ts';

/**
 * The appliance refuses the requested change of a version: it stays pending, and tells why it is not fulfilled. What was
 * fulfilled or requested anew since is not refused. Throws StoreUnavailableError.
 */
export const refuseChange = async (
  store: Store,
  key: ApplianceItemKey,
  { version, reason, detail }: Omit<Refusal, keyof FactTimes>,
  times: FactTimes,
): Promise<FactOutcome> => {
  const { isApplied, item } = await updateIf(store, 'Appliances', {
    Key: key,
    UpdateExpression: 'SET lastRefusal = :refusal',
    ConditionExpression:
      'version = :version AND attribute_exists(desired) AND (attribute_not_exists(lastRefusal) OR lastRefusal.atMs < :at)',
    ExpressionAttributeValues: {
      ':refusal': { version, reason, detail, ...times },
      ':version': version,
      ':at': times.atMs,
    },
  });
  if (isApplied) return { outcome: 'applied' };
  if (item) return { outcome: (item as Shadow).version < version ? 'version-not-found' : 'stale' };
  return outcomeWithoutItem(store, key, times.atMs);
};

const outcomeWithoutItem = async (
  store: Store,
  { gatewayId, sk }: ApplianceItemKey,
  atMs: number,
): Promise<FactOutcome> => {
  const inventory = await readInventory(store, gatewayId);
  if (!inventory || isRemoved(inventory)) return { outcome: outcomeWithoutGateway(inventory, atMs) };
  return { outcome: atMs <= absentAt(inventory, sk) ? 'stale' : 'version-not-found' };
};
