import { batchGet } from '../store/batch-get.ts';
import { queryPartition } from '../store/partition-query.ts';
import type { Store } from '../store/store.ts';
import { grantKey, grantPrefix } from './contracts.ts';
import { reverseGrantPrefix } from './grants.ts';

/** A row from before that attribute counts as older than anything. */
const sinceOf = ({ grantedAtMs = 0 }: Readonly<Record<string, unknown>>): number => Number(grantedAtMs);

/** When a contract began to cover each of those gateways, at most 100; one that it does not cover is left out. Throws StoreUnavailableError. */
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

/** When the contract of each company that may act on a gateway began to cover it. Throws StoreUnavailableError. */
export const readGrantTimesOf = async (store: Store, gatewayId: string): Promise<ReadonlyMap<string, number>> => {
  const { items } = await queryPartition(store, 'Appliances', gatewayId, reverseGrantPrefix);
  return new Map(items.map((item) => [String(item.sk).slice(reverseGrantPrefix.length), sinceOf(item)]));
};
