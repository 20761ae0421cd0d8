import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { maxClockAheadMs } from '../../api/inbound-events/inbound-event.ts';
import { ownersPrefix } from '../contracts/grants.ts';
import { readAllPages } from '../store/reads.ts';
import type { Store } from '../store/store.ts';
import { transact } from '../store/writes.ts';
import { removeGateway } from './gateways.ts';
import { inventoryItemKey } from './inventory.ts';

/** An item of a gateway's state, of any kind. */
export type StateItem = Readonly<Record<string, unknown>> & { readonly gatewayId: string; readonly sk: string };

/**
 * Returns all that is stored of a gateway and its appliance: nameplate, circuits, time programs and everything else in its
 * partition, except for the owners' grants and the inventory. Not for functions.
 */
export const readGatewayState = async (store: Store, gatewayId: string): Promise<StateItem[]> => {
  const items = await readAllPages((after) =>
    store.send(
      new QueryCommand({
        TableName: store.tableName('Appliances'),
        ConsistentRead: true,
        KeyConditionExpression: 'gatewayId = :gatewayId',
        ExpressionAttributeValues: { ':gatewayId': gatewayId },
        ExclusiveStartKey: after,
      }),
    ),
  );
  return (items as StateItem[]).filter(({ sk }) => sk !== inventoryItemKey('').sk && !sk.startsWith(ownersPrefix));
};

/**
 * Deletes the state of a gateway. Its appliance may continue to report: until the backend describes the gateway again, such
 * reports are ignored without an error. Resolves to the number of items that were found. Not for functions.
 */
export const eraseGatewayState = async (store: Store, gatewayId: string, nowMs: number): Promise<number> => {
  const items = await readGatewayState(store, gatewayId);
  if (items.length === 0) return 0;
  // The clock of the backend may be ahead: everything that it has reported up to now is deleted.
  await removeGateway(store, gatewayId, { atMs: nowMs + maxClockAheadMs, receivedAtMs: nowMs }, { isErased: true });
  for (const { sk } of await readGatewayState(store, gatewayId))
    await transact(store, { item: { Delete: { TableName: store.tableName('Appliances'), Key: { gatewayId, sk } } } });
  return items.length;
};
