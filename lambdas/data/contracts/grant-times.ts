import { batchGet } from '../store/batch-get.ts';
import { queryPartition } from '../store/partition-query.ts';
import type { Store } from '../store/store.ts';
import { grantKey, grantPrefix } from './contracts.ts';
import { reverseGrantPrefix } from './grants.ts';

/** A row from before that attribute was taken in when it was granted. */
const sinceOf = ({ grantedAtMs = 0, receivedAtMs = grantedAtMs }: Readonly<Record<string, unknown>>): number =>
  Number(receivedAtMs);

/** When this service took in the grant of each of those gateways, at most 100; one that it does not cover is left out. Throws StoreUnavailableError. */
export const readGrantTimes = async (
  store: Store,
  companyId: string,
  gatewayIds: readonly string[],
): Promise<ReadonlyMap<string, number>> => {
  if (gatewayIds.length === 0) return new Map();
  const table = store.tableName('Contracts');
  const Keys = gatewayIds.map((gatewayId) => grantKey(companyId, gatewayId));
  const items = await batchGet(store, { [table]: { Keys, ConsistentRead: true } });
  return new Map(items(table).map((item) => [String(item.sk).slice(grantPrefix.length), sinceOf(item)]));
};

/** When this service took in the grant of each company that may act on a gateway. Throws StoreUnavailableError. */
export const readGrantTimesOf = async (store: Store, gatewayId: string): Promise<ReadonlyMap<string, number>> => {
  const { items } = await queryPartition(store, 'Appliances', gatewayId, reverseGrantPrefix);
  return new Map(items.map((item) => [String(item.sk).slice(reverseGrantPrefix.length), sinceOf(item)]));
};
