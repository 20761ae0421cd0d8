import type { Company } from '../../config/schema.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import type { Contract } from '../../lambdas/domain/contract.ts';
import type { Drift } from '../addresses/drift.ts';
import { readAllGrants } from '../changes/gateway-grants.ts';

/**
 * Finds the contracts that do not cover exactly the gateways of their company in the configuration. A company that has no
 * list there gets its gateways by commands only, and an ended contract may keep what it covers.
 */
export const findGrantDrift = async (
  store: Store,
  companies: readonly Company[],
  contracts: readonly Contract[],
): Promise<Drift[]> => {
  const inForce = new Set(contracts.filter(({ state }) => state !== 'ended').map(({ companyId }) => companyId));
  const found: Drift[] = [];
  for (const { companyId, gatewayIds } of companies)
    if (gatewayIds && inForce.has(companyId))
      found.push(...grantDrift(companyId, gatewayIds, await readAllGrants(store, companyId)));
  return found;
};

const grantDrift = (companyId: string, named: readonly string[], granted: readonly string[]): Drift[] => {
  const [isNamed, isGranted] = [new Set(named), new Set(granted)];
  const missing = named.filter((id) => !isGranted.has(id));
  const surplus = granted.filter((id) => !isNamed.has(id));
  const drift = (what: string, command: string): Drift => ({
    kind: 'gateways',
    companyId,
    what,
    remedy: `${command}, or change the configuration`,
  });
  return [
    ...(missing.length > 0
      ? [drift(`its contract does not cover ${some(missing)}`, `gateway grant ${companyId} ${first(missing)}`)]
      : []),
    ...(surplus.length > 0
      ? [
          drift(
            `its contract covers ${some(surplus)}, which the configuration does not name`,
            `gateway revoke ${companyId} ${first(surplus)}`,
          ),
        ]
      : []),
  ];
};

/** A company may have thousands. */
const shownIds = 5;

const some = (ids: readonly string[]): string =>
  ids.slice(0, shownIds).join(', ') + (ids.length > shownIds ? ` and ${ids.length - shownIds} more` : '');

const first = (ids: readonly string[]): string =>
  ids.slice(0, shownIds).join(' ') + (ids.length > shownIds ? ' …' : '');
