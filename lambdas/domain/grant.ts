import { type ById, entriesOf, findById, idsOf, withId, withoutId } from './by-id.ts';
import {
  afterWithdrawal,
  type ChangeTimes,
  givenByOperator,
  happenedAtMs,
  isNewlyGiven,
  type Permission,
  withdrawalByOperator,
  withdrawn,
} from './permission.ts';

/** A gateway that a contract covers: the time of the grant, as partners see it, and when this service received the grant. */
export type Grant = { readonly grantedAtMs: number; readonly receivedAtMs: number };

/** The last effective grant or revocation of an owner. It decides which changes are stale. */
export type KnownGrant = ChangeTimes & {
  readonly isGranted: boolean;
  /** If revoked, the claimed time of the grant, which ended the earlier grants of other owners. */
  readonly grantClaimedAtMs?: number;
};

/**
 * The owners who have granted or revoked a gateway for a company. At most one of them has granted it: a new grant revokes the
 * previous owner's.
 */
export type GatewayOwners = ById<KnownGrant>;

/** The desired state of a gateway under the contract of an owner. */
export type GrantChange = { readonly userId: string; readonly isGranted: boolean };

/** `noted`: the change is stored, but who may act stays the same. */
export type DecidedGrant = { readonly outcome: 'applied' | 'noted'; readonly owners: GatewayOwners };

/** Returns the owner who has granted the gateway; undefined if there is none. */
export const granterOf = (owners: GatewayOwners): string | undefined =>
  entriesOf(owners).find(([, { isGranted }]) => isGranted)?.[0];

export const grantOf = (known: KnownGrant): Grant => ({
  grantedAtMs: happenedAtMs(known),
  receivedAtMs: known.receivedAtMs,
});

/** Returns the owners after a change by an event; undefined if the change is stale. */
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

/**
 * Returns the owners after an operator's change, which overrides what is known; undefined if the owner has already granted the
 * gateway.
 */
export const grantChangedByOperator = (
  owners: GatewayOwners,
  { userId, isGranted }: GrantChange,
  nowMs: number,
): DecidedGrant | undefined => {
  if (isGranted)
    return granterOf(owners) === userId
      ? undefined
      : { outcome: 'applied', owners: withGranted(owners, userId, givenByOperator(nowMs)) };
  const times = withdrawalByOperator(nowMs);
  const outcome = granterOf(owners) === userId ? 'applied' : 'noted';
  const change = { ...times, ...afterWithdrawal(knownOf(owners, userId), times) };
  return { outcome, owners: withRevoked(owners, userId, change) };
};

/** Returns the claimed time of an owner's last known grant. */
export const lastGrantOf = ({
  isGranted,
  claimedAtMs,
  grantClaimedAtMs = Number.NEGATIVE_INFINITY,
}: KnownGrant): number => (isGranted ? claimedAtMs : grantClaimedAtMs);

/** Returns the claimed time of the last known grant of an owner, who may be unknown. */
const lastGrantIn = (owners: GatewayOwners, userId: string): number => {
  const known = findById(owners, userId);
  return known ? lastGrantOf(known) : Number.NEGATIVE_INFINITY;
};

/** Takes the place of an erased owner whose grant was the newest. No owner has this id. */
const erasedOwnerId = '*';

/**
 * Returns the owners without an erased one. The time of the newest grant is kept, without the id of its owner, so that late
 * grants of other owners stay as stale as they were.
 */
export const withoutErased = (owners: GatewayOwners, userId: string): GatewayOwners => {
  const known = findById(owners, userId);
  const others = withoutId(owners, userId);
  const grantClaimedAtMs = lastGrantIn(owners, userId);
  const isNewest = entriesOf(others).every(([, each]) => lastGrantOf(each) < grantClaimedAtMs);
  return isNewest && Number.isFinite(grantClaimedAtMs)
    ? withId(others, erasedOwnerId, { ...known, isGranted: false, grantClaimedAtMs } as KnownGrant)
    : others;
};

/** Returns the grant that is kept of an erased owner if the gateway has no other owners. */
export const onlyErased = (owners: GatewayOwners): KnownGrant | undefined =>
  idsOf(owners).length === 1 ? findById(owners, erasedOwnerId) : undefined;

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

/** A grant that arrives after its own revocation gives nothing, but ends what other owners granted before it. */
const withGrantSinceRevoked = (owners: GatewayOwners, userId: string, times: ChangeTimes): GatewayOwners => {
  const known = { ...findById(owners, userId), grantClaimedAtMs: times.claimedAtMs } as KnownGrant;
  return withId(withoutGranter(owners, times), userId, known);
};

/** A new grant revokes the previous owner's. */
const withoutGranter = (owners: GatewayOwners, times: ChangeTimes): GatewayOwners => {
  const granter = granterOf(owners);
  return granter === undefined
    ? owners
    : withRevoked(owners, granter, { ...times, ...afterWithdrawal(knownOf(owners, granter), times) });
};

/** Returns the owners after a revocation. The time of the owner's last grant is kept. */
export const withRevoked = (owners: GatewayOwners, userId: string, times: ChangeTimes): GatewayOwners => {
  const grantClaimedAtMs = lastGrantIn(owners, userId);
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
