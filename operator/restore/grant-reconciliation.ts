import { isDeepStrictEqual } from 'node:util';
import { type AuditContext, auditPut } from '../../lambdas/data/audit.ts';
import { putOwners, readGrants, writeGrants } from '../../lambdas/data/contracts/grants.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { transact } from '../../lambdas/data/store/writes.ts';
import { entriesOf, findById, idsOf, withId } from '../../lambdas/domain/by-id.ts';
import { type Contract, grantIn } from '../../lambdas/domain/contract.ts';
import {
  type GatewayOwners,
  type Grant,
  grantOf,
  lastGrantIn,
  withLastGrant,
  withRevoked,
} from '../../lambdas/domain/grant.ts';
import { type ChangeTimes, timesOf } from '../../lambdas/domain/permission.ts';
import type { Difference } from '../cli/change.ts';
import { OperatorError } from '../error.ts';
import type { RecordedGrant } from './audit-record.ts';

/** Grants that differ from the audit log or from the contract. */
export type GrantDifferences = {
  /** Revoked in the audit log, but still granted, or lacking the revocation that makes older, late grants stale. */
  readonly revoked: readonly (Required<RecordedGrant> & { readonly gatewayId: string })[];
  /** Covered by the contract, but missing from the partition of the gateway. */
  readonly unlisted: readonly { readonly gatewayId: string; readonly seen: GatewayOwners; readonly grant: Grant }[];
  /** Granted in the audit log, but lost: only the times are put back, so that earlier grants of others stay stale. */
  readonly lost: readonly { readonly gatewayId: string; readonly grantClaimedAtMs: number }[];
};

const never = Number.NEGATIVE_INFINITY;

/** Compares the gateways of a contract with the audit log since that second, and with the gateways' own partitions. */
export const compareGrants = async (
  store: Store,
  contract: Contract,
  recorded: ReadonlyMap<string, RecordedGrant>,
): Promise<GrantDifferences> => {
  const { userId, gateways } = contract;
  const ids = [...new Set([...idsOf(gateways), ...recorded.keys()])];
  const { ownersOf } = await readGrants(store, contract, ids);
  const revoked = [...recorded].flatMap(([gatewayId, { isGranted: isRecorded, atMs, grantClaimedAtMs = never }]) => {
    const [grant, owner] = [grantIn(contract, gatewayId), findById(ownersOf(gatewayId), userId)];
    const isGranted = grant !== undefined;
    if (isRecorded || (grant?.grantedAtMs ?? 0) > atMs) return [];
    const revokedAtMs = owner && !owner.isGranted ? owner.claimedAtMs : 0;
    const isKnown = !isGranted && revokedAtMs >= atMs && lastGrantIn(ownersOf(gatewayId), userId) >= grantClaimedAtMs;
    // The grant of an operator, which the revocation ended, claims a time that is later than its own.
    return isKnown ? [] : [{ gatewayId, isGranted, atMs: Math.max(atMs, owner?.claimedAtMs ?? 0), grantClaimedAtMs }];
  });
  const toRevoke = new Set(revoked.map(({ gatewayId }) => gatewayId));
  const unlisted = entriesOf(gateways).flatMap(([gatewayId, grant]) => {
    const seen = ownersOf(gatewayId);
    const owner = findById(seen, userId);
    const isListed = owner?.isGranted && isDeepStrictEqual(grantOf(owner), grant);
    // A newer grant of another owner has ended this one.
    const isEnded = entriesOf(seen).some(
      ([id, other]) => id !== userId && other.isGranted && other.receivedAtMs > grant.receivedAtMs,
    );
    return isListed || isEnded || toRevoke.has(gatewayId) ? [] : [{ gatewayId, seen, grant }];
  });
  const lost = [...recorded].flatMap(([gatewayId, { isGranted, grantClaimedAtMs = never }]) => {
    const isKnown = lastGrantIn(ownersOf(gatewayId), userId) >= grantClaimedAtMs;
    const isLost = isGranted && !grantIn(contract, gatewayId) && !isKnown;
    return isLost ? [{ gatewayId, grantClaimedAtMs }] : [];
  });
  return { revoked, unlisted, lost };
};

/** Returns the differences as the operator sees them. */
export const grantDifferencesIn = ({ revoked, unlisted, lost }: GrantDifferences): Difference[] => [
  ...revoked.map(({ gatewayId, isGranted }) => ({
    what: `gateway ${gatewayId}`,
    before: isGranted ? 'granted' : null,
    after: isGranted ? null : 'revoked',
  })),
  ...unlisted.map(({ gatewayId }) => ({
    what: `gateway ${gatewayId}, in its own partition`,
    before: null,
    after: 'granted',
  })),
  ...lost.map(({ gatewayId }) => ({
    what: `earlier grants of gateway ${gatewayId}`,
    before: null,
    after: 'refused',
  })),
];

/** Revokes again with the recorded times, so that newer grants still apply, and adds grants that gateway partitions lack. */
export const correctGrants = async (
  store: Store,
  auditContext: AuditContext,
  contract: Contract,
  { revoked, unlisted, lost }: GrantDifferences,
): Promise<void> => {
  const { nowMs } = auditContext;
  const { companyId, userId } = contract;
  const parties = { companyId, userId };
  for (const { gatewayId, atMs, grantClaimedAtMs } of revoked) {
    const asOfThen = { ...auditContext, nowMs: atMs, recordedAtMs: nowMs };
    const { contract: found, ownersOf } = await readGrants(store, parties, [gatewayId]);
    const seen = ownersOf(gatewayId);
    const owners = revokedAsOf(seen, userId, timesOf(asOfThen), grantClaimedAtMs);
    const covering = { contract: found ?? contract, isNew: !found };
    const failed =
      !owners || (await writeGrants(store, asOfThen, covering, [{ gatewayId, seen, outcome: 'applied', owners }]));
    if (failed) throw overtaken(companyId, gatewayId);
  }
  /** Changes the row of a gateway; this run may have changed it already, as it revoked the gateway from another owner. */
  const changeOwners = async (
    gatewayId: string,
    decide: (now: GatewayOwners) => GatewayOwners | undefined,
    after: Readonly<Record<string, unknown>>,
  ) => {
    const seen = (await readGrants(store, parties, [gatewayId])).ownersOf(gatewayId);
    const owners = decide(seen);
    const failed =
      !owners ||
      (await transact(store, {
        owners: putOwners(store, companyId, gatewayId, { seen, owners }),
        audit: auditPut(store, auditContext, { gatewayId, after }),
      }));
    if (failed) throw overtaken(companyId, gatewayId);
  };
  for (const { gatewayId, seen, grant } of unlisted) {
    const { grantedAtMs, receivedAtMs } = grant;
    const granted = { isGranted: true, claimedAtMs: grantedAtMs, countsFromMs: grantedAtMs, receivedAtMs };
    const isAsCompared = (now: GatewayOwners) => isDeepStrictEqual(findById(now, userId), findById(seen, userId));
    const decide = (now: GatewayOwners) => (isAsCompared(now) ? withId(now, userId, granted) : undefined);
    await changeOwners(gatewayId, decide, { grantedAt: grantedAtMs });
  }
  for (const { gatewayId, grantClaimedAtMs } of lost)
    await changeOwners(gatewayId, (now) => withLostGrant(now, userId, grantClaimedAtMs), {
      lostGrantAt: grantClaimedAtMs,
    });
};

/** Returns the owners with the time of a grant that does not count, so that earlier grants of other owners stay stale. */
const withLostGrant = (seen: GatewayOwners, userId: string, claimedAtMs: number): GatewayOwners => {
  const known = findById(seen, userId);
  // A former grant that the contract does not cover does not count either.
  const isRevoked = known !== undefined && !known.isGranted;
  const revoked = isRevoked ? seen : withRevoked(seen, userId, timesOf({ nowMs: claimedAtMs }));
  return withLastGrant(revoked, userId, claimedAtMs);
};

/** Returns the owners after a grant and a later revocation, both on record; undefined if a newer change is known. */
const revokedAsOf = (
  seen: GatewayOwners,
  userId: string,
  times: ChangeTimes,
  grantClaimedAtMs: number,
): GatewayOwners | undefined => {
  const known = findById(seen, userId);
  if (known && known.claimedAtMs > times.claimedAtMs) return undefined;
  return withLastGrant(withRevoked(seen, userId, times), userId, grantClaimedAtMs);
};

const overtaken = (companyId: string, gatewayId: string) =>
  new OperatorError(
    'conflict',
    `Gateway ${gatewayId} of ${companyId} was changed by another caller at the same time. What was done until then stays; run again.`,
  );
