import type { Contract } from '../../domain/contract.ts';
import { isWhole, type StoredEvent } from '../../domain/feed/feed-event.ts';
import type { Viewer } from '../../domain/feed/visibility.ts';
import { readGrantTimes } from '../contracts/grant-times.ts';
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
