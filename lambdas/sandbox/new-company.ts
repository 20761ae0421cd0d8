import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { installedAppliance } from '../../simulator/appliance-state.ts';
import { readAllPages } from '../data/store/reads.ts';
import type { Store } from '../data/store/store.ts';
import { livelyForMs } from './due-times.ts';
import type { SimulatedHome } from './homes.ts';
import { ownerDecisions, type PortalEvent } from './messages.ts';
import type { StoredHome } from './simulated-homes.ts';

/**
 * Returns the ids of all active companies. The function reads the whole table, which a sandbox can afford: no event announces
 * that an operator has onboarded a company, and a company that was onboarded before the stage became a sandbox gets homes, too.
 */
export const listActiveCompanies = async (store: Store): Promise<string[]> => {
  const items = await readAllPages((after) =>
    store.send(
      new ScanCommand({
        TableName: store.tableName('Companies'),
        ProjectionExpression: 'companyId, #state',
        ExpressionAttributeNames: { '#state': 'state' },
        ExclusiveStartKey: after,
      }),
    ),
  );
  return items.filter(({ state }) => state === 'active').map(({ companyId }) => String(companyId));
};

/**
 * Returns a home that was just installed. Its first simulation sends what the owner has decided in the portal, the description
 * of the gateway, and the reports of everything. It reports no energy of the past, because a company sees no day from before the
 * grant.
 */
export const newHome = (home: SimulatedHome, requiredConsentVersion: number, nowMs: number): StoredHome => ({
  state: { ...installedAppliance(home.appliance, nowMs), reportedOnlineAtMs: 0, measuredAtMs: 0 },
  unsent: decisionsOfOwner(home, requiredConsentVersion, nowMs),
  reportedAllOn: '',
  livelyUntilMs: nowMs + livelyForMs,
  dueAtMs: nowMs,
});

const decisionsOfOwner = (home: SimulatedHome, consentVersion: number, atMs: number): PortalEvent[] => {
  const { companyId, userId, appliance } = home;
  const decided = { companyId, userId, consentVersion, gatewayId: appliance.gatewayId };
  return (['contract-opened', 'consent-renewed', 'gateway-added'] as const).map((decision) =>
    ownerDecisions[decision](decided, atMs),
  );
};
