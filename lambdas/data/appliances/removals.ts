import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { FactTimes } from '../../domain/appliances/appliance.ts';
import { factsSince } from '../../domain/appliances/gateway-facts.ts';
import { type Inventory, isRemoved, removed } from '../../domain/appliances/inventory.ts';
import type { Store } from '../store/store.ts';
import { deleteAbsentShadows } from './absent-shadows.ts';
import { gatewayItemKey } from './appliances.ts';
import type { FactOutcome } from './fact-outcome.ts';
import { changeInventory, type InventoryChange } from './inventory-row.ts';

/**
 * The gateway is gone, and all that was there until then. What arrives later of the time before does not revive it, also if the
 * gateway was installed anew meanwhile. Throws StoreUnavailableError.
 */
export const removeGateway = async (store: Store, gatewayId: string, times: FactTimes): Promise<FactOutcome> => {
  const told = await changeInventory(store, gatewayId, async (inventory) => {
    const next = removed(inventory, times.atMs);
    return next.removedAtMs > inventory.removedAtMs
      ? takeAway(store, gatewayId, next, times)
      : { outcome: 'stale', next };
  });
  await deleteAbsentShadows(store, gatewayId, () => true, times.atMs);
  return told;
};

/**
 * Takes from the gateway, as it was read, all that was told of the time until its removal. Of the time after it, facts stay; if
 * the gateway itself does not, they wait for its next description.
 */
const takeAway = async (
  store: Store,
  gatewayId: string,
  next: Inventory,
  { atMs, receivedAtMs }: FactTimes,
): Promise<InventoryChange> => {
  const table = { TableName: store.tableName('Appliances'), Key: gatewayItemKey(gatewayId) };
  const { Item: gateway } = await store.send(new GetCommand({ ...table, ConsistentRead: true }));
  const facts = factsSince(gateway?.facts ?? next.facts ?? {}, atMs);
  const values = { ':seen': gateway?.facts };
  const asRead = { ...table, ConditionExpression: 'facts = :seen' };
  if (isRemoved(next))
    return {
      outcome: 'applied',
      next: { ...next, facts },
      gateway: gateway && { Delete: { ...asRead, ExpressionAttributeValues: values } },
    };
  return {
    outcome: 'applied',
    next,
    gateway: gateway && {
      Update: {
        ...asRead,
        UpdateExpression: 'SET facts = :facts, removedAtMs = :at, receivedAtMs = :receivedAt',
        ExpressionAttributeValues: { ...values, ':facts': facts, ':at': atMs, ':receivedAt': receivedAtMs },
      },
    },
  };
};
