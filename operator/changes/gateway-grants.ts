import { type AuditContext, auditPut } from '../../lambdas/data/audit/audit-log.ts';
import { grantKey, listGrantedGatewayIds, putGrant } from '../../lambdas/data/contracts/contracts.ts';
import { batchGet } from '../../lambdas/data/store/batch-get.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { StoreUnavailableError } from '../../lambdas/data/store/store-errors.ts';
import { type TransactItem, transact } from '../../lambdas/data/store/transaction.ts';
import { contractExists } from './contract-changes.ts';

/** What is to be with a gateway. */
export type GrantChange = { readonly gatewayId: string; readonly isGranted: boolean };

/** A transaction holds 100 items: a check of the contract, and of each gateway its grant and its audit row. */
export const maxGrantChanges = 49;

const maxAttempts = 5;
const pageLimit = 1000;

export type GrantOutcome =
  | { readonly outcome: 'done'; readonly changedGatewayIds: readonly string[] }
  | { readonly outcome: 'contract-not-found' };

/**
 * Grants or revokes up to `maxGrantChanges` gateways, each once, in one transaction with an audit row for each. Those that
 * are so already are left alone. Throws StoreUnavailableError.
 */
export const setGrants = async (
  store: Store,
  auditContext: AuditContext,
  gatewayIds: readonly string[],
  isGranted: boolean,
): Promise<GrantOutcome> => {
  const { companyId } = auditContext;
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const granted = await readGrants(store, companyId, gatewayIds);
    const changedGatewayIds = gatewayIds.filter((gatewayId) => granted.has(gatewayId) !== isGranted);
    if (changedGatewayIds.length === 0) return { outcome: 'done', changedGatewayIds };
    const failed = await transact(store, {
      contract: contractExists(store, companyId),
      ...grantChangeItems(
        store,
        auditContext,
        changedGatewayIds.map((gatewayId) => ({ gatewayId, isGranted })),
      ),
    });
    if (!failed) return { outcome: 'done', changedGatewayIds };
    if (failed.name === 'contract') return { outcome: 'contract-not-found' };
  }
  throw new StoreUnavailableError(`Grants changed under ${maxAttempts} attempts to change them.`);
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

/** The parts of a transaction that make the changes, if none has been made in the meantime, and put them on record. */
export const grantChangeItems = (
  store: Store,
  auditContext: AuditContext,
  changes: readonly GrantChange[],
): Record<string, TransactItem> =>
  Object.fromEntries(
    changes.flatMap(({ gatewayId, isGranted }) => [
      [
        `grant ${gatewayId}`,
        isGranted ? addGrant(store, auditContext, gatewayId) : removeGrant(store, auditContext, gatewayId),
      ],
      [
        `audit ${gatewayId}`,
        auditPut(store, auditContext, { gatewayId, before: { isGranted: !isGranted }, after: { isGranted } }),
      ],
    ]),
  );

const addGrant = (store: Store, { companyId, nowMs }: AuditContext, gatewayId: string): TransactItem => ({
  Put: { ...putGrant(store, companyId, gatewayId, nowMs), ConditionExpression: 'attribute_not_exists(sk)' },
});

const removeGrant = (store: Store, { companyId }: AuditContext, gatewayId: string): TransactItem => ({
  Delete: {
    TableName: store.tableName('Contracts'),
    Key: grantKey(companyId, gatewayId),
    ConditionExpression: 'attribute_exists(sk)',
  },
});
