import type { Viewer } from '../../domain/feed-event.ts';
import { readContracts } from '../contracts/contracts.ts';
import { readGranters } from '../contracts/grants.ts';
import type { Store } from '../store/store.ts';

/**
 * Those whom events of gateways may be told, by gateway, as of now: each company that has a contract with the owner who has
 * granted it the gateway. Throws StoreUnavailableError.
 */
export const readViewers = async (
  store: Store,
  requiredConsentVersion: number,
  gatewayIds: readonly string[],
): Promise<ReadonlyMap<string, readonly Viewer[]>> => {
  const granters = await Promise.all(
    [...new Set(gatewayIds)].map(async (gatewayId) => [gatewayId, await readGranters(store, gatewayId)] as const),
  );
  const companyIds = new Set(granters.flatMap(([, ofGateway]) => [...ofGateway.keys()]));
  const contracts = await readContracts(store, [...companyIds]);
  return new Map(
    granters.map(([gatewayId, ofGateway]) => [
      gatewayId,
      contracts
        .filter(({ companyId, userId }) => ofGateway.get(companyId) === userId)
        .map((contract) => ({ contract, requiredConsentVersion })),
    ]),
  );
};
