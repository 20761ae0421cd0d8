import type { AuditContext } from '../../lambdas/data/audit/audit-log.ts';
import { contractExists } from '../../lambdas/data/contracts/contract-changes.ts';
import { grantKey, listGrantedGatewayIds } from '../../lambdas/data/contracts/contracts.ts';
import {
  always,
  grantChangeItems,
  guardNameOf,
  itemsPerGrantChange,
  unlessGranted,
} from '../../lambdas/data/contracts/grants.ts';
import { batchGet } from '../../lambdas/data/store/batch-get.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { transact } from '../../lambdas/data/store/transaction.ts';
import { type ChangeTimes, giftByOperator, withdrawalByOperator } from '../../lambdas/domain/permission.ts';

/** So many changes fit into a transaction, which takes 100 items, beside a check of the contract. */
export const maxGrantChanges = Math.floor((100 - 1) / itemsPerGrantChange);

const pageLimit = 1000;

export type GrantsOutcome =
  | { readonly outcome: 'done'; readonly changedGatewayIds: readonly string[] }
  | { readonly outcome: 'contract-not-found' };

/**
 * Grants or revokes up to `maxGrantChanges` gateways, each once, in one transaction with an audit row for each, whoever
 * changed them last, as of the time of the audit context: let it be that of the service. What is granted already is left
 * alone; a revocation is put on record in any case, so that a grant from before it cannot come later. Throws
 * StoreUnavailableError.
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

/** An attempt that fails has met a grant of somebody else, and leaves that gateway alone. */
const changeGrants = async (
  store: Store,
  auditContext: AuditContext,
  gatewayIds: readonly string[],
  isGranted: boolean,
): Promise<GrantsOutcome> => {
  if (gatewayIds.length === 0) return { outcome: 'done', changedGatewayIds: [] };
  const { companyId, nowMs } = auditContext;
  const condition = isGranted ? unlessGranted : always;
  const failed = await transact(store, {
    contract: contractExists(store, companyId),
    ...grantChangeItems(
      store,
      auditContext,
      gatewayIds.map((gatewayId) => ({ gatewayId, isGranted, times: timesByOperator(isGranted, nowMs), condition })),
    ),
  });
  if (!failed) return { outcome: 'done', changedGatewayIds: gatewayIds };
  if (failed.name === 'contract') return { outcome: 'contract-not-found' };
  const left = gatewayIds.filter((gatewayId) => guardNameOf(gatewayId) !== failed.name);
  return changeGrants(store, auditContext, left, isGranted);
};

/** The times of a grant or a revocation by an operator. */
export const timesByOperator = (isGranted: boolean, nowMs: number): ChangeTimes =>
  isGranted ? giftByOperator(nowMs) : withdrawalByOperator(nowMs);

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
