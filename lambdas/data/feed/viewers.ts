import type { Contract, Parties } from '../../domain/contract.ts';
import { isWhole, type StoredEvent, type Viewer } from '../../domain/feed-event.ts';
import { contractKey, readContracts } from '../contracts/contracts.ts';
import { readGranters } from '../contracts/grants.ts';
import type { Store } from '../store/store.ts';

/**
 * Returns, for each event, the company's current contract with the event's owner, as a viewer. Reads each owner's contract
 * once.
 */
export const readViewersOf = async (
  store: Store,
  companyId: string,
  requiredConsentVersion: number,
  events: readonly StoredEvent[],
): Promise<(event: StoredEvent) => Viewer> => {
  const ownerOf = (event: StoredEvent) => (isWhole(event) ? event.userId : undefined);
  const userIds = events.flatMap((event) => ownerOf(event) ?? []);
  const contractWith = await readContractsWith(store, companyId, userIds);
  return (event) => ({ contract: contractWith(ownerOf(event)), requiredConsentVersion });
};

/** Returns a function that finds the company's current contract with one of these owners. Reads each contract once. */
export const readContractsWith = async (
  store: Store,
  companyId: string,
  userIds: readonly string[],
): Promise<(userId: string | undefined) => Contract | undefined> => {
  const contracts = await readContracts(
    store,
    [...new Set(userIds)].map((userId) => ({ companyId, userId })),
  );
  const byOwner = new Map(contracts.map((contract) => [contract.userId, contract]));
  return (userId) => byOwner.get(userId ?? '');
};

/** A company, by its contract, that may be shown events of a gateway. */
export type GatewayViewer = Viewer & { readonly contract: Contract };

/**
 * Returns the current viewers of each gateway: the companies that have a contract with the owner who granted them the gateway.
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
