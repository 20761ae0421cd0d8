import {
  type ChangeTimes,
  happenedAtMs,
  isNewlyGiven,
  type Permission,
  timesOf,
  withdrawn,
} from '../../domain/permission.ts';
import { type AuditContext, auditPut } from '../audit.ts';
import { again, retryingFrom } from '../store/attempts.ts';
import type { Store } from '../store/store.ts';
import { type TransactItem, transact } from '../store/writes.ts';
import { contractKey, grantKey } from './contracts.ts';

/** What is to be with a gateway. */
export type GrantChange = { readonly gatewayId: string; readonly isGranted: boolean };

/** A transaction takes 100 items; a change of one grant is so many of them. */
export const itemsPerGrantChange = 4;

export const guardPrefix = 'CHANGED#';

/** Tells in an item of the company how a grant was last changed, and stays when the grant is gone. */
export const grantGuardKey = (companyId: string, gatewayId: string) => ({
  companyId,
  sk: `${guardPrefix}${gatewayId}`,
});

/** What the guard row of a grant tells: the last change that stands. */
export type Guard = {
  readonly isGranted: boolean;
  readonly claimedAtMs: number;
  /** From when it counts. */
  readonly changedAtMs: number;
};

export const reverseGrantPrefix = 'COMPANY#';

/** The same grant in the partition of its gateway, so that whose it is can be read there. */
export const reverseGrantKey = (companyId: string, gatewayId: string) => ({
  gatewayId,
  sk: `${reverseGrantPrefix}${companyId}`,
});

export type GrantOutcome = {
  readonly outcome: 'applied' | 'noted' | 'stale' | 'contract-not-found' | 'foreign-user';
};

type GrantEvent = GrantChange & {
  readonly userId: string;
  /** When it came to this service; at the time of the audit context unless another is given. */
  readonly arrivedAtMs?: number;
};

/**
 * Grants or revokes a gateway as of the time of the audit context, under the contract of a user. Tries first as if it were
 * newer than all that is known, which most are, and reads nothing. Throws StoreUnavailableError.
 */
export const applyGrant = (
  store: Store,
  auditContext: AuditContext,
  { userId, arrivedAtMs, ...change }: GrantEvent,
): Promise<GrantOutcome> => {
  const times = timesOf({ ...auditContext, arrivedAtMs });
  const condition = change.isGranted ? ifNewer(times) : ifNewerThanGrant(times);
  const first: Decided = { outcome: 'applied', times, condition };
  // An attempt that fails has met another change of the grant.
  return retryingFrom(first, { to: 'change a grant', atMost: 5 }, async (decided) => {
    const failed = await transact(store, {
      contract: contractIsOf(store, auditContext.companyId, userId),
      ...grantChangeItems(store, auditContext, [{ ...change, ...decided }]),
    });
    if (!failed) return { outcome: decided.outcome };
    if (failed.name === 'contract') return { outcome: failed.old ? 'foreign-user' : 'contract-not-found' };
    const next = decide(failed.old as Guard | undefined, change, times);
    return next ? again(next) : { outcome: 'stale' };
  });
};

type Decided = {
  readonly outcome: 'applied' | 'noted';
  readonly times: ChangeTimes;
  readonly condition: GuardCondition;
};

/** What becomes of a change, with what is known as it was seen; undefined if it is stale. */
const decide = (seen: Guard | undefined, { isGranted }: GrantChange, times: ChangeTimes): Decided | undefined => {
  const known: Permission = {
    isGiven: seen?.isGranted ?? false,
    claimedAtMs: seen?.claimedAtMs ?? Number.NEGATIVE_INFINITY,
    countsFromMs: seen?.changedAtMs ?? Number.NEGATIVE_INFINITY,
  };
  const condition = ifAsSeen(seen);
  if (isGranted) return isNewlyGiven(known, times) ? { outcome: 'applied', times, condition } : undefined;
  const told = withdrawn(known, times);
  return told && { outcome: told.outcome, times: { ...times, ...told.change }, condition };
};

/** The condition under which a guard row takes a change. */
export type GuardCondition = Pick<
  NonNullable<TransactItem['Put']>,
  'ConditionExpression' | 'ExpressionAttributeValues' | 'ReturnValuesOnConditionCheckFailure'
>;

const isOlderByBoth = 'claimedAtMs < :claimed AND changedAtMs < :counts';

const valuesOf = ({ claimedAtMs, countsFromMs }: ChangeTimes) => ({ ':claimed': claimedAtMs, ':counts': countsFromMs });

/** What is known is older by both of its times, whatever it is. */
const ifNewer = (times: ChangeTimes): GuardCondition => ({
  ConditionExpression: `attribute_not_exists(sk) OR (${isOlderByBoth})`,
  ExpressionAttributeValues: valuesOf(times),
  ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
});

/** The same, and it is a grant. */
const ifNewerThanGrant = (times: ChangeTimes): GuardCondition => ({
  ConditionExpression: `isGranted = :granted AND ${isOlderByBoth}`,
  ExpressionAttributeValues: { ...valuesOf(times), ':granted': true },
  ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
});

const ifAsSeen = (seen: Guard | undefined): GuardCondition =>
  seen
    ? {
        ConditionExpression: 'isGranted = :granted AND claimedAtMs = :claimed AND changedAtMs = :counts',
        ExpressionAttributeValues: {
          ':granted': seen.isGranted,
          ':claimed': seen.claimedAtMs,
          ':counts': seen.changedAtMs,
        },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }
    : { ConditionExpression: 'attribute_not_exists(sk)', ReturnValuesOnConditionCheckFailure: 'ALL_OLD' };

/** For those who grant what is not granted. */
export const unlessGranted: GuardCondition = {
  ConditionExpression: 'attribute_not_exists(sk) OR isGranted = :granted',
  ExpressionAttributeValues: { ':granted': false },
};

/** For those who make a change again that is known: what they put in order may have been half lost. */
export const unlessOlder = ({ claimedAtMs }: ChangeTimes): GuardCondition => ({
  ConditionExpression: 'attribute_not_exists(sk) OR claimedAtMs <= :claimed',
  ExpressionAttributeValues: { ':claimed': claimedAtMs },
});

/** For those whom nobody else can come between, and for operators who revoke whatever is there. */
export const always: GuardCondition = {};

export const guardNameOf = (gatewayId: string): string => `guard ${gatewayId}`;

/** A change with its times, and the condition under which it is made. */
export type TimedGrantChange = GrantChange & { readonly times: ChangeTimes; readonly condition: GuardCondition };

/** The parts of a transaction that make the changes, and put them on record. */
export const grantChangeItems = (
  store: Store,
  auditContext: AuditContext,
  changes: readonly TimedGrantChange[],
): Record<string, TransactItem> =>
  Object.fromEntries(
    changes.flatMap((change) => [
      ...Object.entries(grantItems(store, auditContext.companyId, change)),
      [
        `audit ${change.gatewayId}`,
        auditPut(store, auditContext, { gatewayId: change.gatewayId, after: { isGranted: change.isGranted } }),
      ],
    ]),
  );

/** The guard row lets the change pass; then the grant and its reverse row are put or deleted, whatever was there. */
const grantItems = (
  store: Store,
  companyId: string,
  { gatewayId, isGranted, times, condition }: TimedGrantChange,
): Record<string, TransactItem> => {
  const contracts = store.tableName('Contracts');
  const { claimedAtMs, countsFromMs, receivedAtMs } = times;
  const guard: Guard = { isGranted, claimedAtMs, changedAtMs: countsFromMs };
  const grant = { grantedAtMs: happenedAtMs(times), receivedAtMs };
  const rows = {
    [`grant ${gatewayId}`]: { TableName: contracts, Key: grantKey(companyId, gatewayId) },
    [`reverse ${gatewayId}`]: {
      TableName: store.tableName('Appliances'),
      Key: reverseGrantKey(companyId, gatewayId),
    },
  };
  return {
    [guardNameOf(gatewayId)]: {
      Put: { TableName: contracts, Item: { ...grantGuardKey(companyId, gatewayId), ...guard }, ...condition },
    },
    ...Object.fromEntries(
      Object.entries(rows).map(([name, { TableName, Key }]) => [
        name,
        isGranted ? { Put: { TableName, Item: { ...Key, ...grant } } } : { Delete: { TableName, Key } },
      ]),
    ),
  };
};

/** Grants a gateway off the record: for a demo world, which begins with it. */
export const grantGateway = async (store: Store, companyId: string, gatewayId: string, nowMs: number) => {
  const change = { gatewayId, isGranted: true, times: timesOf({ nowMs }), condition: always };
  await transact(store, grantItems(store, companyId, change));
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

/** The part of a transaction that holds only as long as nobody has revoked a gateway. */
export const grantIsNotRevoked = (store: Store, { companyId, gatewayId }: GrantIds): TransactItem => ({
  ConditionCheck: {
    TableName: store.tableName('Contracts'),
    Key: grantGuardKey(companyId, gatewayId),
    ConditionExpression: 'attribute_not_exists(sk) OR isGranted = :granted',
    ExpressionAttributeValues: { ':granted': true },
  },
});

/** When a grant counts from, and when it was taken in. */
export type GrantTimes = { readonly grantedAtMs: number; readonly receivedAtMs?: number };

/** The part of a transaction that holds only as long as there is the grant of that time. */
export const grantIsSince = (
  store: Store,
  { companyId, gatewayId }: GrantIds,
  { grantedAtMs }: GrantTimes,
): TransactItem => ({
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
  { grantedAtMs, receivedAtMs }: GrantTimes,
): TransactItem => ({
  Put: {
    TableName: store.tableName('Appliances'),
    Item: {
      ...reverseGrantKey(companyId, gatewayId),
      grantedAtMs,
      ...(receivedAtMs !== undefined && { receivedAtMs }),
    },
  },
});
