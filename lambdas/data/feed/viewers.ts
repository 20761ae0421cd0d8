import type { Contract } from '../../domain/contract.ts';
import { isWhole, type StoredEvent, type Viewer } from '../../domain/feed-event.ts';
import { grantKey, grantPrefix, readContracts } from '../contracts/contracts.ts';
import { reverseGrantPrefix } from '../contracts/grants.ts';
import { batchGet, queryPartition } from '../store/reads.ts';
import type { Store } from '../store/store.ts';

/** The company that looks at those events, with the grants of their gateways as of now. Throws StoreUnavailableError. */
export const readViewer = async (
  store: Store,
  contract: Contract,
  requiredConsentVersion: number,
  events: readonly StoredEvent[],
): Promise<Viewer> => {
  const gatewayIds = new Set(events.flatMap((event) => (isWhole(event) ? (event.gatewayId ?? []) : [])));
  const grants = await readGrantTimes(store, contract.companyId, [...gatewayIds]);
  return { contract, requiredConsentVersion, grantReceivedAtMs: (gatewayId) => grants.get(gatewayId) };
};

/**
 * Those whom events of gateways may be told, by gateway and company, as of now: each company that may act on the gateway and
 * has a contract. Throws StoreUnavailableError.
 */
export const readViewers = async (
  store: Store,
  requiredConsentVersion: number,
  gatewayIds: readonly string[],
): Promise<ReadonlyMap<string, readonly Viewer[]>> => {
  const grants = await Promise.all(
    [...new Set(gatewayIds)].map(async (gatewayId) => [gatewayId, await readGrantTimesOf(store, gatewayId)] as const),
  );
  const companyIds = new Set(grants.flatMap(([, times]) => [...times.keys()]));
  const contracts = await readContracts(store, [...companyIds]);
  return new Map(
    grants.map(([gatewayId, times]) => [
      gatewayId,
      contracts
        .filter(({ companyId }) => times.has(companyId))
        .map((contract) => ({
          contract,
          requiredConsentVersion,
          grantReceivedAtMs: () => times.get(contract.companyId),
        })),
    ]),
  );
};

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
