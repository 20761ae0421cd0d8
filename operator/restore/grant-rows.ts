import { type AuditContext, auditPut } from '../../lambdas/data/audit/audit-log.ts';
import { grantPrefix } from '../../lambdas/data/contracts/contracts.ts';
import {
  grantChangeItems,
  grantIsSince,
  guardPrefix,
  putReverseGrant,
  reverseGrantKey,
  unlessOlder,
} from '../../lambdas/data/contracts/grants.ts';
import { batchGet } from '../../lambdas/data/store/batch-get.ts';
import { queryPartition } from '../../lambdas/data/store/partition-query.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { transact } from '../../lambdas/data/store/transaction.ts';
import { OperatorError } from '../errors/operator-error.ts';
import type { RecordedGrant } from './audit-record.ts';

/** The grants of a company by gateway, and their guard rows: each with its time. */
export type GrantTimes = { readonly grants: ReadonlyMap<string, number>; readonly guards: ReadonlyMap<string, number> };

/** Where rows of grants are not as the record, or the grants themselves, ask for. */
export type GrantDifferences = {
  /** Revoked on record, and still granted, or open to a grant from before that comes late. */
  readonly revoked: readonly { readonly gatewayId: string; readonly isGranted: boolean; readonly atMs: number }[];
  /** Granted, and not told in the partition of the gateway. */
  readonly untold: readonly { readonly gatewayId: string; readonly grantedAtMs: number }[];
};

export const readGrantTimes = async (store: Store, companyId: string): Promise<GrantTimes> => ({
  grants: await readTimes(store, companyId, grantPrefix, 'grantedAtMs'),
  guards: await readTimes(store, companyId, guardPrefix, 'changedAtMs'),
});

const pageLimit = 1000;

const readTimes = async (store: Store, companyId: string, prefix: string, attribute: string) => {
  const times = new Map<string, number>();
  let after: Record<string, unknown> | undefined;
  do {
    const page = await queryPartition(store, 'Contracts', companyId, prefix, { limit: pageLimit, after });
    for (const row of page.items) times.set(String(row.sk).slice(prefix.length), Number(row[attribute]));
    after = page.hasMore ? { companyId, sk: page.items.at(-1)?.sk } : undefined;
  } while (after);
  return times;
};

/** Compares the rows of a company's grants with what is on record since, and with one another. */
export const compareGrants = async (
  store: Store,
  companyId: string,
  { grants, guards }: GrantTimes,
  recorded: ReadonlyMap<string, RecordedGrant>,
): Promise<GrantDifferences> => {
  const ids = [...new Set([...grants.keys(), ...recorded.keys()])];
  const reverse = await readReverseTimes(store, companyId, ids);
  const revoked = [...recorded].flatMap(([gatewayId, { isGranted: isGiven, atMs }]) => {
    const grantedAtMs = grants.get(gatewayId);
    const guardedAtMs = guards.get(gatewayId) ?? 0;
    if (isGiven || (grantedAtMs ?? 0) > atMs) return [];
    const isGranted = grantedAtMs !== undefined;
    const isInOrder = !isGranted && !reverse.has(gatewayId) && guardedAtMs >= atMs;
    return isInOrder ? [] : [{ gatewayId, isGranted, atMs: Math.max(atMs, guardedAtMs) }];
  });
  const toRevoke = new Set(revoked.map(({ gatewayId }) => gatewayId));
  const untold = [...grants]
    .filter(([gatewayId, grantedAtMs]) => reverse.get(gatewayId) !== grantedAtMs && !toRevoke.has(gatewayId))
    .map(([gatewayId, grantedAtMs]) => ({ gatewayId, grantedAtMs }));
  return { revoked, untold };
};

/** A batch read takes so many keys. */
const batchSize = 100;

const readReverseTimes = async (store: Store, companyId: string, gatewayIds: readonly string[]) => {
  const table = store.tableName('Appliances');
  const times = new Map<string, number>();
  for (let start = 0; start < gatewayIds.length; start += batchSize) {
    const Keys = gatewayIds.slice(start, start + batchSize).map((gatewayId) => reverseGrantKey(companyId, gatewayId));
    const items = await batchGet(store, { [table]: { Keys, ConsistentRead: true } });
    for (const { gatewayId, grantedAtMs } of items(table)) times.set(String(gatewayId), Number(grantedAtMs));
  }
  return times;
};

/** Revokes again as of the time of the record, so that what is newer and on its way still counts, and tells gateways whose they are. */
export const putGrantsInOrder = async (
  store: Store,
  auditContext: AuditContext,
  { revoked, untold }: GrantDifferences,
): Promise<void> => {
  const { companyId, nowMs } = auditContext;
  for (const { gatewayId, atMs } of revoked) {
    const asOfThen = { ...auditContext, nowMs: atMs, recordedAtMs: nowMs };
    const change = { gatewayId, isGranted: false };
    if (await transact(store, grantChangeItems(store, asOfThen, [change], unlessOlder)))
      throw overtaken(companyId, gatewayId);
  }
  for (const { gatewayId, grantedAtMs } of untold) {
    const failed = await transact(store, {
      grant: grantIsSince(store, { companyId, gatewayId }, grantedAtMs),
      reverse: putReverseGrant(store, { companyId, gatewayId }, grantedAtMs),
      audit: auditPut(store, auditContext, { gatewayId, after: { grantedAt: grantedAtMs } }),
    });
    if (failed) throw overtaken(companyId, gatewayId);
  }
};

const overtaken = (companyId: string, gatewayId: string) =>
  new OperatorError(
    'conflict',
    `Gateway ${gatewayId} of ${companyId} was changed by somebody else at the same moment. What was done until then stays; run again.`,
  );
