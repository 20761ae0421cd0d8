import { readContracts } from '../data/contracts/contracts.ts';
import { readGrantTimesOf } from '../data/contracts/grant-times.ts';
import type { Store } from '../data/store/store.ts';
import type { Viewer } from '../domain/feed/visibility.ts';

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
