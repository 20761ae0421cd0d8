import type { Contract, Parties } from '../../domain/contract.ts';
import { isWhole, type StoredEvent, type Viewer } from '../../domain/feed-event.ts';
import { contractKey, readContracts } from '../contracts/contracts.ts';
import { readGranters } from '../contracts/grants.ts';
import type { Store } from '../store/store.ts';

/** As whom a company sees each of those events, as of now: a batch of reads, of one contract for each owner. Throws StoreUnavailableError. */
export const readViewersOf = async (
  store: Store,
  companyId: string,
  requiredConsentVersion: number,
  events: readonly StoredEvent[],
): Promise<(event: StoredEvent) => Viewer> => {
  const ownerOf = (event: StoredEvent) => (isWhole(event) ? event.userId : undefined);
  const userIds = new Set(events.flatMap((event) => ownerOf(event) ?? []));
  const contracts = await readContracts(
    store,
    [...userIds].map((userId) => ({ companyId, userId })),
  );
  const byOwner = new Map(contracts.map((contract) => [contract.userId, contract]));
  return (event) => ({ contract: byOwner.get(ownerOf(event) ?? ''), requiredConsentVersion });
};

/** Someone whom events of a gateway may be told: a company under a contract. */
export type GatewayViewer = Viewer & { readonly contract: Contract };

/**
 * Those whom events of gateways may be told, by gateway, as of now: each company that has a contract with the owner who has
 * granted it the gateway. Throws StoreUnavailableError.
 */
export const readViewers = async (
  store: Store,
  requiredConsentVersion: number,
  gatewayIds: readonly string[],
): Promise<ReadonlyMap<string, readonly GatewayViewer[]>> => {
  const granters = await Promise.all(
    [...new Set(gatewayIds)].map(async (gatewayId) => [gatewayId, await readGranters(store, gatewayId)] as const),
  );
  const partiesOf = (ofGateway: ReadonlyMap<string, string>): Parties[] =>
    [...ofGateway].map(([companyId, userId]) => ({ companyId, userId }));
  const wanted = new Map(
    granters.flatMap(([, ofGateway]) => partiesOf(ofGateway).map((parties) => [keyOf(parties), parties] as const)),
  );
  const contracts = new Map(
    (await readContracts(store, [...wanted.values()])).map((contract) => [keyOf(contract), contract]),
  );
  return new Map(
    granters.map(([gatewayId, ofGateway]) => [
      gatewayId,
      partiesOf(ofGateway).flatMap((parties) => {
        const contract = contracts.get(keyOf(parties));
        return contract ? [{ contract, requiredConsentVersion }] : [];
      }),
    ]),
  );
};

const keyOf = (parties: Parties): string => contractKey(parties).contractId;
