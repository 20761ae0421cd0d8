import type { AuditContext } from '../../lambdas/data/audit.ts';
import { contractKey, grantKey, listGrantedGatewayIds } from '../../lambdas/data/contracts/contracts.ts';
import {
  always,
  grantChangeItems,
  guardNameOf,
  itemsPerGrantChange,
  unlessGranted,
} from '../../lambdas/data/contracts/grants.ts';
import { batchGet } from '../../lambdas/data/store/reads.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { type TransactItem, transact } from '../../lambdas/data/store/writes.ts';
import { type ChangeTimes, giftByOperator, withdrawalByOperator } from '../../lambdas/domain/permission.ts';
import { type ChangeOutput, type Difference, makeChange } from '../cli/change.ts';
import type { OperatorContext } from '../cli/context.ts';
import { OperatorError } from '../error.ts';
import { requireContract } from './contract.ts';

/** The most changes that fit into a transaction, which takes 100 items, beside a check of the contract. */
export const maxGrantChanges = Math.floor((100 - 1) / itemsPerGrantChange);

/** What it takes to grant gateways to a company that has a contract. */
export const grantRequirements = {
  tableActions: {
    Contracts: ['BatchGetItem', 'ConditionCheckItem', 'GetItem', 'PutItem'],
    Appliances: ['PutItem'],
    AuditLog: ['PutItem'],
  },
} as const;

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
  setTogether(
    store,
    auditContext,
    isGranted ? await withoutGranted(store, auditContext.companyId, gatewayIds) : gatewayIds,
    isGranted,
  );

const contractExists = (store: Store, companyId: string): TransactItem => ({
  ConditionCheck: {
    TableName: store.tableName('Contracts'),
    Key: contractKey(companyId),
    ConditionExpression: 'attribute_exists(sk)',
  },
});

/** Tries again without the gateway whose grant somebody else has changed meanwhile. */
const setTogether = async (
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
  return setTogether(store, auditContext, left, isGranted);
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

/** Grants those gateways that are not granted, or revokes all of them; more than fit into a transaction in several. */
export const changeGrantsOf = async (
  context: OperatorContext,
  companyId: string,
  gatewayIds: readonly string[],
  isGranted: boolean,
): Promise<ChangeOutput> => {
  const { store, readStoreTimeMs } = await context.connect();
  const { userId } = await requireContract(store, companyId);
  const unique = [...new Set(gatewayIds)];
  const granted = new Set<string>();
  for (const batch of inBatches(unique))
    for (const gatewayId of await readGrants(store, companyId, batch)) granted.add(gatewayId);
  const changed = unique.filter((gatewayId) => !(isGranted && granted.has(gatewayId)));
  const differences = changed.map((gatewayId) => differenceOf(gatewayId, granted.has(gatewayId), isGranted));
  const apply = async () => {
    const auditContext = { ...(await context.auditContext(companyId, userId)), nowMs: await readStoreTimeMs() };
    for (const batch of inBatches(changed)) await changeGrants(store, auditContext, batch, isGranted);
  };
  return makeChange(context, { companyId, differences, apply });
};

/** What is not granted is revoked all the same: nothing that was added before can come late. */
const differenceOf = (gatewayId: string, isGranted: boolean, toBeGranted: boolean): Difference => ({
  what: `gateway ${gatewayId}`,
  before: isGranted ? 'granted' : null,
  after: toBeGranted ? 'granted' : isGranted ? null : 'revoked',
});

/** Changes up to `maxGrantChanges` of them; resolves to those that it has changed. */
export const changeGrants = async (
  store: Store,
  auditContext: AuditContext,
  gatewayIds: readonly string[],
  isGranted: boolean,
): Promise<readonly string[]> => {
  const grants = await setGrants(store, auditContext, gatewayIds, isGranted);
  if (grants.outcome === 'done') return grants.changedGatewayIds;
  const { companyId } = auditContext;
  throw new OperatorError(
    'conflict',
    `${companyId} lost its contract at the same moment. Look: company show ${companyId}.`,
  );
};

const inBatches = (ids: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(ids.length / maxGrantChanges) }, (_, batch) =>
    ids.slice(batch * maxGrantChanges, (batch + 1) * maxGrantChanges),
  );
