import type { Gateway } from '../../domain/appliances/appliance.ts';
import type { Store } from '../store/store.ts';
import { gatewayItemKey } from './appliances.ts';
import type { FactOutcome } from './fact-outcome.ts';
import { updateIf } from './guarded-update.ts';
import { outcomeWithoutGateway, readInventory } from './inventory-row.ts';

type Connectivity = Pick<Gateway, 'gatewayId' | 'connectivity' | 'lastSeenAtMs'>;

/**
 * The gateway was heard of, or was not for too long. Of the connectivity the newest report stays; the time at which it was last
 * seen only grows, whichever report tells it. Throws StoreUnavailableError.
 */
export const reportConnectivity = async (
  store: Store,
  { gatewayId, connectivity, lastSeenAtMs }: Connectivity,
  atMs: number,
): Promise<FactOutcome> => {
  let parts = [
    { values: { connectivity, connectivityAtMs: atMs }, orderedBy: 'connectivityAtMs', at: atMs },
    { values: { lastSeenAtMs }, orderedBy: 'lastSeenAtMs', at: lastSeenAtMs },
  ];
  while (parts.length > 0) {
    const { isApplied, item } = await updateIf(store, {
      Key: gatewayItemKey(gatewayId),
      ...expressionsOf(parts),
    });
    if (isApplied) return { outcome: 'applied' };
    if (!item) return { outcome: outcomeWithoutGateway(await readInventory(store, gatewayId), atMs) };
    parts = parts.filter(({ orderedBy, at }) => Number(item[orderedBy]) < at);
  }
  return { outcome: 'stale' };
};

type Part = { readonly values: Readonly<Record<string, unknown>>; readonly orderedBy: string; readonly at: number };

/** Every part has to be newer than what is stored of it. */
const expressionsOf = (parts: readonly Part[]) => {
  const values = Object.entries(Object.assign({}, ...parts.map((part) => part.values)));
  return {
    UpdateExpression: `SET ${values.map(([name]) => `${name} = :${name}`).join(', ')}`,
    ConditionExpression: parts.map(({ orderedBy }) => `${orderedBy} < :${orderedBy}`).join(' AND '),
    ExpressionAttributeValues: Object.fromEntries(values.map(([name, value]) => [`:${name}`, value])),
  };
};
