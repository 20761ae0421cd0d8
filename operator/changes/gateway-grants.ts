import type { AuditContext } from '../../lambdas/data/audit/audit-log.ts';
import { contractExists } from '../../lambdas/data/contracts/contract-changes.ts';
import { grantKey, listGrantedGatewayIds } from '../../lambdas/data/contracts/contracts.ts';
import { grantChangeItems, guardNameOf, ifNewer, itemsPerGrantChange } from '../../lambdas/data/contracts/grants.ts';
import { batchGet } from '../../lambdas/data/store/batch-get.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { transact } from '../../lambdas/data/store/transaction.ts';

/** So many changes fit into a transaction, which takes 100 items, beside a check of the contract. */
export const maxGrantChanges = Math.floor((100 - 1) / itemsPerGrantChange);

const pageLimit = 1000;

export type GrantsOutcome =
  | { readonly outcome: 'done'; readonly changedGatewayIds: readonly string[] }
  | { readonly outcome: 'contract-not-found' }
  /** Somebody changed the gateway to what is not wanted, and not before the time of this act. */
  | { readonly outcome: 'stale'; readonly gatewayId: string; readonly changedAtMs: number };

/**
 * Grants or revokes up to `maxGrantChanges` gateways, each once, in one transaction with an audit row for each. What is
 * granted already is left alone; a revocation leaves its time behind in any case, so that a grant from before it cannot come
 * later. Throws StoreUnavailableError.
 */
export const setGrants = async (
  store: Store,
  auditContext: AuditContext,
  gatewayIds: readonly string[],
  isGranted: boolean,
): Promise<GrantsOutcome> =>
  changeGrants(
    store,
    auditContext,
    isGranted ? await withoutGranted(store, auditContext.companyId, gatewayIds) : gatewayIds,
    isGranted,
  );

/** Each attempt that fails takes a gateway out, at least. */
const changeGrants = async (
  store: Store,
  auditContext: AuditContext,
  gatewayIds: readonly string[],
  isGranted: boolean,
): Promise<GrantsOutcome> => {
  if (gatewayIds.length === 0) return { outcome: 'done', changedGatewayIds: [] };
  const { companyId } = auditContext;
  const changes = gatewayIds.map((gatewayId) => ({ gatewayId, isGranted }));
  const failed = await transact(store, {
    contract: contractExists(store, companyId),
    ...grantChangeItems(store, auditContext, changes, ifNewer),
  });
  if (!failed) return { outcome: 'done', changedGatewayIds: gatewayIds };
  if (failed.name === 'contract') return { outcome: 'contract-not-found' };

  const overtaken = gatewayIds.find((gatewayId) => guardNameOf(gatewayId) === failed.name) ?? '';
  const granted = await readGrants(store, companyId, gatewayIds);
  if (granted.has(overtaken) !== isGranted)
    return { outcome: 'stale', gatewayId: overtaken, changedAtMs: Number(failed.old?.changedAtMs) };
  const left = gatewayIds.filter((each) => each !== overtaken && !(isGranted && granted.has(each)));
  return changeGrants(store, auditContext, left, isGranted);
};

const withoutGranted = async (store: Store, companyId: string, gatewayIds: readonly string[]) => {
  const granted = await readGrants(store, companyId, gatewayIds);
  return gatewayIds.filter((gatewayId) => !granted.has(gatewayId));
};

/** Resolves to those of up to 100 gateways that the contract covers. */
export const readGrants = async (
  store: Store,
  companyId: string,
  gatewayIds: readonly string[],
): Promise<ReadonlySet<string>> => {
  const table = store.tableName('Contracts');
  const keys = gatewayIds.map((gatewayId) => grantKey(companyId, gatewayId));
  const items = await batchGet(store, { [table]: { Keys: keys, ConsistentRead: true } });
  const found = new Set(items(table).map(({ sk }) => sk));
  return new Set(gatewayIds.filter((gatewayId) => found.has(grantKey(companyId, gatewayId).sk)));
};

/** The ids of all gateways that the contract covers. */
export const readAllGrants = async (store: Store, companyId: string): Promise<string[]> => {
  const all: string[] = [];
  let after: string | undefined;
  do {
    const { gatewayIds, next } = await listGrantedGatewayIds(store, companyId, pageLimit, after);
    all.push(...gatewayIds);
    after = next;
  } while (after !== undefined);
  return all;
};
