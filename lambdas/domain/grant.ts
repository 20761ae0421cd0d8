import { type ById, entriesOf, findById, withId } from './by-id.ts';
import {
  afterWithdrawal,
  type ChangeTimes,
  giftByOperator,
  happenedAtMs,
  isNewlyGiven,
  type Permission,
  withdrawalByOperator,
  withdrawn,
} from './permission.ts';

/** A gateway that a contract covers: since when, as partners are told it, and when this service took that in. */
export type Grant = { readonly grantedAtMs: number; readonly receivedAtMs: number };

/** The last change of an owner's grant that stands, of a grant as of a revocation: it tells what is stale. */
export type KnownGrant = ChangeTimes & {
  readonly isGranted: boolean;
  /** Of one that is revoked, the claimed time of the grant: what others granted before it came to an end with it. */
  readonly grantClaimedAtMs?: number;
};

/**
 * What is known of the owners who have let a company act on a gateway. One of them at most has granted it:
 * a gateway that another owner grants is no longer the one's before.
 */
export type GatewayOwners = ById<KnownGrant>;

/** What is to be with a gateway under the contract of an owner. */
export type GrantChange = { readonly userId: string; readonly isGranted: boolean };

/** Noted: who may act is as it was. */
export type DecidedGrant = { readonly outcome: 'applied' | 'noted'; readonly owners: GatewayOwners };

/** The owner who has granted it; undefined if nobody has. */
export const granterOf = (owners: GatewayOwners): string | undefined =>
  entriesOf(owners).find(([, { isGranted }]) => isGranted)?.[0];

export const grantOf = (known: KnownGrant): Grant => ({
  grantedAtMs: happenedAtMs(known),
  receivedAtMs: known.receivedAtMs,
});

/** What a change that was told makes of what is known; undefined if it is stale. */
export const changedGrant = (
  owners: GatewayOwners,
  change: GrantChange,
  times: ChangeTimes,
): DecidedGrant | undefined => {
  const known = knownOf(owners, change.userId);
  if (!change.isGranted) {
    const told = withdrawn(known, times);
    return told && { outcome: told.outcome, owners: withRevoked(owners, change.userId, { ...times, ...told.change }) };
  }
  const isNewest = entriesOf(owners).every(([, each]) => times.claimedAtMs > lastGrantOf(each));
  if (!isNewest) return undefined;
  if (isNewlyGiven(known, times)) return { outcome: 'applied', owners: withGranted(owners, change.userId, times) };
  const outcome = granterOf(owners) === undefined ? 'noted' : 'applied';
  return { outcome, owners: withGrantSinceRevoked(owners, change.userId, times) };
};

/** What an operator's change makes of it, whatever is known; undefined if it is granted already. */
export const grantChangedByOperator = (
  owners: GatewayOwners,
  { userId, isGranted }: GrantChange,
  nowMs: number,
): DecidedGrant | undefined => {
  if (isGranted)
    return granterOf(owners) === userId
      ? undefined
      : { outcome: 'applied', owners: withGranted(owners, userId, giftByOperator(nowMs)) };
  const times = withdrawalByOperator(nowMs);
  const outcome = granterOf(owners) === userId ? 'applied' : 'noted';
  const change = { ...times, ...afterWithdrawal(knownOf(owners, userId), times) };
  return { outcome, owners: withRevoked(owners, userId, change) };
};

/** The claimed time of the last grant that is known of an owner. */
export const lastGrantOf = ({
  isGranted,
  claimedAtMs,
  grantClaimedAtMs = Number.NEGATIVE_INFINITY,
}: KnownGrant): number => (isGranted ? claimedAtMs : grantClaimedAtMs);

const nothingKnown = {
  isGranted: false,
  claimedAtMs: Number.NEGATIVE_INFINITY,
  countsFromMs: Number.NEGATIVE_INFINITY,
};

const knownOf = (owners: GatewayOwners, userId: string): Permission => {
  const { isGranted, claimedAtMs, countsFromMs } = findById(owners, userId) ?? nothingKnown;
  return { isGiven: isGranted, claimedAtMs, countsFromMs };
};

const withGranted = (owners: GatewayOwners, userId: string, times: ChangeTimes): GatewayOwners =>
  withId(withoutGranter(owners, times), userId, { isGranted: true, ...timesIn(times) });

/** A grant that comes later than its own revocation gives nothing, and ends what others had granted before it. */
const withGrantSinceRevoked = (owners: GatewayOwners, userId: string, times: ChangeTimes): GatewayOwners => {
  const known = { ...findById(owners, userId), grantClaimedAtMs: times.claimedAtMs } as KnownGrant;
  return withId(withoutGranter(owners, times), userId, known);
};

/** Whoever granted it before has it no more from then on, as if they had revoked it. */
const withoutGranter = (owners: GatewayOwners, times: ChangeTimes): GatewayOwners => {
  const granter = granterOf(owners);
  return granter === undefined
    ? owners
    : withRevoked(owners, granter, { ...times, ...afterWithdrawal(knownOf(owners, granter), times) });
};

const withRevoked = (owners: GatewayOwners, userId: string, times: ChangeTimes): GatewayOwners => {
  const before = findById(owners, userId);
  const grantClaimedAtMs = before && lastGrantOf(before);
  return withId(owners, userId, {
    isGranted: false,
    ...timesIn(times),
    ...(Number.isFinite(grantClaimedAtMs) && { grantClaimedAtMs }),
  } as KnownGrant);
};

const timesIn = ({ claimedAtMs, countsFromMs, receivedAtMs }: ChangeTimes): ChangeTimes => ({
  claimedAtMs,
  countsFromMs,
  receivedAtMs,
});
