import { isDeepStrictEqual } from 'node:util';
import type { AuditContext } from '../../lambdas/data/audit.ts';
import { readGrants, writeGrants } from '../../lambdas/data/contracts/grants.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { entriesOf, findById, idsOf } from '../../lambdas/domain/by-id.ts';
import { type Contract, grantIn } from '../../lambdas/domain/contract.ts';
import { type GatewayOwners, type Grant, grantOf, withRevoked } from '../../lambdas/domain/grant.ts';
import { timesOf } from '../../lambdas/domain/permission.ts';
import type { Difference } from '../cli/make-change.ts';
import { OperatorError } from '../error.ts';
import type { RecordedGrant } from './audit-record.ts';

/** How the grants of a contract differ from the audit log. */
export type GrantDifferences = {
  /** Revoked in the audit log, but still granted, or lacking the revocation that makes older, late grants stale. */
  readonly revoked: readonly (RecordedGrant & { readonly gatewayId: string })[];
  /** The gateways that were granted according to the audit log or the contract, and that a table lacks. */
  readonly missing: readonly string[];
};

/** Compares the gateways of a contract with the audit log since that second, and with the gateways' own partitions. */
export const compareGrants = async (
  store: Store,
  contract: Contract,
  recorded: ReadonlyMap<string, RecordedGrant>,
): Promise<GrantDifferences> => {
  const { userId, gateways } = contract;
  const ids = [...new Set([...idsOf(gateways), ...recorded.keys()])];
  const { ownersOf } = await readGrants(store, contract, ids);
  const revoked = [...recorded].flatMap(([gatewayId, { isGranted: isRecorded, atMs }]) => {
    const [grant, owner] = [grantIn(contract, gatewayId), findById(ownersOf(gatewayId), userId)];
    const isGranted = grant !== undefined;
    if (isRecorded || (grant?.grantedAtMs ?? 0) > atMs) return [];
    const isKnown = !isGranted && owner !== undefined && !owner.isGranted && owner.claimedAtMs >= atMs;
    // The grant of an operator, which the revocation ended, claims a time that is later than its own.
    return isKnown ? [] : [{ gatewayId, isGranted, atMs: Math.max(atMs, owner?.claimedAtMs ?? 0) }];
  });
  const isToRevoke = (gatewayId: string) => revoked.some((each) => each.gatewayId === gatewayId);
  const unlisted = entriesOf(gateways).filter(([id, grant]) => !isListed(ownersOf(id), userId, grant));
  const given = [...recorded].filter(([id, { isGranted }]) => isGranted && !grantIn(contract, id));
  const missing = [...unlisted, ...given].map(([gatewayId]) => gatewayId);
  return { revoked, missing: missing.filter((gatewayId) => !isToRevoke(gatewayId)) };
};

/** Whether the partition of a gateway has a grant of the contract, or a newer grant by another owner, which has ended it. */
const isListed = (owners: GatewayOwners, userId: string, grant: Grant): boolean => {
  const owner = findById(owners, userId);
  return (
    (owner?.isGranted && isDeepStrictEqual(grantOf(owner), grant)) ||
    entriesOf(owners).some(([id, other]) => id !== userId && other.isGranted && other.receivedAtMs > grant.receivedAtMs)
  );
};

/** Returns what is to be revoked, as differences. */
export const grantDifferencesIn = ({ revoked }: GrantDifferences): Difference[] =>
  revoked.map(({ gatewayId, isGranted }) => ({
    what: `gateway ${gatewayId}`,
    before: isGranted ? 'granted' : null,
    after: isGranted ? null : 'revoked',
  }));

/** Revokes again with the recorded times, so that newer grants still apply. */
export const revokeAgain = async (
  store: Store,
  auditContext: AuditContext,
  contract: Contract,
  { revoked }: GrantDifferences,
): Promise<void> => {
  const { companyId, userId } = contract;
  for (const { gatewayId, atMs } of revoked) {
    const asOfThen = { ...auditContext, nowMs: atMs, recordedAtMs: auditContext.nowMs };
    const { contract: found, ownersOf } = await readGrants(store, { companyId, userId }, [gatewayId]);
    const seen = ownersOf(gatewayId);
    const times = timesOf(asOfThen);
    const known = findById(seen, userId);
    const isNewer = known !== undefined && known.claimedAtMs > times.claimedAtMs;
    const covering = { contract: found ?? contract, isNew: !found };
    const owners = withRevoked(seen, userId, times);
    const failed =
      isNewer || (await writeGrants(store, asOfThen, covering, [{ gatewayId, seen, outcome: 'applied', owners }]));
    if (failed)
      throw new OperatorError(
        'conflict',
        `Gateway ${gatewayId} of ${companyId} was changed by another caller at the same time. What was done until then stays; run again.`,
      );
  }
};
