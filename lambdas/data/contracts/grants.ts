import { type AuditContext, auditPut } from '../audit/audit-log.ts';
import type { Store } from '../store/store.ts';
import { type TransactItem, transact } from '../store/transaction.ts';
import { contractKey, grantKey } from './contracts.ts';

/** What is to be with a gateway. */
export type GrantChange = { readonly gatewayId: string; readonly isGranted: boolean };

/** A transaction takes 100 items; a change of one grant is so many of them. */
export const itemsPerGrantChange = 4;

export const guardPrefix = 'CHANGED#';

/** Tells in an item of the company when a grant was last changed, and stays when the grant is gone. */
export const grantGuardKey = (companyId: string, gatewayId: string) => ({
  companyId,
  sk: `${guardPrefix}${gatewayId}`,
});

export const reverseGrantPrefix = 'COMPANY#';

/** The same grant in the partition of its gateway, so that whose it is can be read there. */
export const reverseGrantKey = (companyId: string, gatewayId: string) => ({
  gatewayId,
  sk: `${reverseGrantPrefix}${companyId}`,
});

export type GrantOutcome = { readonly outcome: 'applied' | 'stale' | 'contract-not-found' | 'foreign-user' };

/**
 * Grants or revokes a gateway as of the time of the audit context, under the contract of a user. Stale: what is known of that
 * grant is not older. Throws StoreUnavailableError.
 */
export const applyGrant = async (
  store: Store,
  auditContext: AuditContext,
  { userId, ...change }: GrantChange & { readonly userId: string },
): Promise<GrantOutcome> => {
  const failed = await transact(store, {
    contract: contractIsOf(store, auditContext.companyId, userId),
    ...grantChangeItems(store, auditContext, [change], ifNewer),
  });
  if (!failed) return { outcome: 'applied' };
  if (failed.name !== 'contract') return { outcome: 'stale' };
  return { outcome: failed.old ? 'foreign-user' : 'contract-not-found' };
};

/** The condition under which a guard row takes the time of a change. */
export type GuardCondition = (nowMs: number) => Pick<NonNullable<TransactItem['Put']>, 'ConditionExpression'>;

/** What is known of the grant is older: of all who change it, the last by time wins, whoever comes last. */
export const ifNewer: GuardCondition = (nowMs) => ({
  ConditionExpression: 'attribute_not_exists(sk) OR changedAtMs < :at',
  ExpressionAttributeValues: { ':at': nowMs },
  ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
});

/** For those who make a change again that is known: what they put in order may have been half lost. */
export const unlessOlder: GuardCondition = (nowMs) => ({
  ConditionExpression: 'attribute_not_exists(sk) OR changedAtMs <= :at',
  ExpressionAttributeValues: { ':at': nowMs },
});

/** For those whom nobody else can come between. */
export const always: GuardCondition = () => ({});

export const guardNameOf = (gatewayId: string): string => `guard ${gatewayId}`;

/** The parts of a transaction that make the changes as of the time of the audit context, and put them on record. */
export const grantChangeItems = (
  store: Store,
  auditContext: AuditContext,
  changes: readonly GrantChange[],
  guard: GuardCondition,
): Record<string, TransactItem> =>
  Object.fromEntries(
    changes.flatMap((change) => [
      ...Object.entries(grantItems(store, auditContext, change, guard)),
      [
        `audit ${change.gatewayId}`,
        auditPut(store, auditContext, { gatewayId: change.gatewayId, after: { isGranted: change.isGranted } }),
      ],
    ]),
  );

/** The guard row lets the change pass; then the grant and its reverse row are put or deleted, whatever was there. */
const grantItems = (
  store: Store,
  { companyId, nowMs }: Pick<AuditContext, 'companyId' | 'nowMs'>,
  { gatewayId, isGranted }: GrantChange,
  guard: GuardCondition,
): Record<string, TransactItem> => {
  const contracts = store.tableName('Contracts');
  const guardRow = { ...grantGuardKey(companyId, gatewayId), changedAtMs: nowMs };
  const rows = {
    [`grant ${gatewayId}`]: { TableName: contracts, Key: grantKey(companyId, gatewayId) },
    [`reverse ${gatewayId}`]: {
      TableName: store.tableName('Appliances'),
      Key: reverseGrantKey(companyId, gatewayId),
    },
  };
  return {
    [guardNameOf(gatewayId)]: { Put: { TableName: contracts, Item: guardRow, ...guard(nowMs) } },
    ...Object.fromEntries(
      Object.entries(rows).map(([name, { TableName, Key }]) => [
        name,
        isGranted ? { Put: { TableName, Item: { ...Key, grantedAtMs: nowMs } } } : { Delete: { TableName, Key } },
      ]),
    ),
  };
};

/** Grants a gateway off the record: for a demo world, which begins with it. */
export const grantGateway = async (store: Store, companyId: string, gatewayId: string, nowMs: number) => {
  await transact(store, grantItems(store, { companyId, nowMs }, { gatewayId, isGranted: true }, always));
};

const contractIsOf = (store: Store, companyId: string, userId: string): TransactItem => ({
  ConditionCheck: {
    TableName: store.tableName('Contracts'),
    Key: contractKey(companyId),
    ConditionExpression: 'userId = :userId',
    ExpressionAttributeValues: { ':userId': userId },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  },
});

type GrantIds = { readonly companyId: string; readonly gatewayId: string };

/** The part of a transaction that holds only as long as nobody has changed a grant since. */
export const grantIsNotChangedSince = (
  store: Store,
  { companyId, gatewayId }: GrantIds,
  sinceMs: number,
): TransactItem => ({
  ConditionCheck: {
    TableName: store.tableName('Contracts'),
    Key: grantGuardKey(companyId, gatewayId),
    ConditionExpression: 'attribute_not_exists(sk) OR changedAtMs <= :since',
    ExpressionAttributeValues: { ':since': sinceMs },
  },
});

/** The part of a transaction that holds only as long as there is the grant of that time. */
export const grantIsSince = (store: Store, { companyId, gatewayId }: GrantIds, grantedAtMs: number): TransactItem => ({
  ConditionCheck: {
    TableName: store.tableName('Contracts'),
    Key: grantKey(companyId, gatewayId),
    ConditionExpression: 'grantedAtMs = :at',
    ExpressionAttributeValues: { ':at': grantedAtMs },
  },
});

/** The part of a transaction that writes the reverse row of a grant anew. */
export const putReverseGrant = (
  store: Store,
  { companyId, gatewayId }: GrantIds,
  grantedAtMs: number,
): TransactItem => ({
  Put: {
    TableName: store.tableName('Appliances'),
    Item: { ...reverseGrantKey(companyId, gatewayId), grantedAtMs },
  },
});
