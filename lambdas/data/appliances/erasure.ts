import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { maxClockAheadMs } from '../../api/inbound-events/inbound-event.ts';
import { ownersPrefix } from '../contracts/grants.ts';
import { readAllPages } from '../store/reads.ts';
import type { Store } from '../store/store.ts';
import { transact } from '../store/writes.ts';
import { removeGateway } from './gateways.ts';
import { inventoryItemKey } from './inventory.ts';

/** An item of a gateway's state, of whatever kind. */
export type StateItem = Readonly<Record<string, unknown>> & { readonly gatewayId: string; readonly sk: string };

/**
 * All that is stored of a gateway and what it runs: its nameplate, circuits, time programs and whatever else its partition has,
 * but neither who may act on it nor what orders its descriptions. Not for functions. Throws StoreUnavailableError.
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
 * Removes the state of a gateway. Its appliance may go on to report: until its backend describes it anew, that is done with in
 * silence. Resolves to how many items there were. Not for functions. Throws StoreUnavailableError.
 */
export const eraseGatewayState = async (store: Store, gatewayId: string, nowMs: number): Promise<number> => {
  const items = await readGatewayState(store, gatewayId);
  if (items.length === 0) return 0;
  // The clock of the backend may be ahead: whatever it has told until now goes.
  await removeGateway(store, gatewayId, { atMs: nowMs + maxClockAheadMs, receivedAtMs: nowMs }, { isErased: true });
  for (const { sk } of await readGatewayState(store, gatewayId))
    await transact(store, { item: { Delete: { TableName: store.tableName('Appliances'), Key: { gatewayId, sk } } } });
  return items.length;
};
