import { maxValidDays } from '../api/limits.ts';
import type { dropReasons } from '../api/schemas/change-status.ts';
import type { Company } from './company.ts';
import { type Contract, grantIn } from './contract.ts';
import { consentedSince, hiddenBecause, type WithheldBecause } from './feed-event.ts';

/**
 * Who asked for a desired property: the company and the owner on whose behalf it acted, the key, the request and its time, and
 * the version of the item with this request. These are personal data: they leave the item together with the property.
 */
export type Requester = {
  readonly companyId: string;
  readonly userId: string;
  /** Null if no key authenticated the request, as in tests and in the demo world. */
  readonly keyId: string | null;
  readonly requestId: string;
  readonly atMs: number;
  readonly version: number;
  /** Since when the company was permitted to act on the home without a break, at the time of the request. */
  readonly permittedSinceMs: number;
  /** Until when the value is worth applying, by the clock of the service; absent if it does not expire. */
  readonly validUntilMs?: number;
};

/** Who asked for each property that is desired, by the name of the property. */
export type Requesters = Readonly<Record<string, Requester>>;

/** Returns the newest of the requests. There is at least one as long as something is desired. */
export const newestOf = (requesters: Requesters): Requester =>
  Object.values(requesters).reduce((newest, each) => (each.version >= newest.version ? each : newest));

/** Returns since when a company has been permitted to act on a gateway without a break: since then all permissions hold. */
export const permittedSince = (contract: Contract, gatewayId: string): number =>
  Math.max(contract.sinceMs, consentedSince(contract), grantIn(contract, gatewayId)?.receivedAtMs ?? 0);

/** What decides whether a company may act on a home, at the time of the decision. */
export type Permissions = {
  readonly company: Company | undefined;
  /** The company's contract with the owner; undefined if there is none. */
  readonly contract: Contract | undefined;
  readonly requiredConsentVersion: number;
};

export type EndedBecause = WithheldBecause | 'company-suspended' | 'expired';

/**
 * Returns why a requested change must not be done any more; undefined if it may. The permission on which it rested has to hold
 * still: one that ended and was given again is another one.
 */
export const endedBecause = (
  { company, ...viewer }: Permissions,
  gatewayId: string,
  requester: Pick<Requester, 'userId' | 'permittedSinceMs' | 'validUntilMs'>,
  nowMs: number,
): EndedBecause | undefined => {
  if (company?.state !== 'active') return 'company-suspended';
  const { userId, permittedSinceMs: receivedAtMs } = requester;
  return hiddenBecause(viewer, { userId, gatewayId, receivedAtMs }) ?? expiredAt(requester, nowMs);
};

/** Returns `expired` if what was asked for is not worth applying any more. */
export const expiredAt = ({ validUntilMs }: Pick<Requester, 'validUntilMs'>, nowMs: number): 'expired' | undefined =>
  validUntilMs !== undefined && validUntilMs <= nowMs ? 'expired' : undefined;

/** Returns when the first of the desired properties expires; undefined if none does. */
export const firstExpiryOf = (requesters: Requesters): number | undefined => {
  const ends = Object.values(requesters).flatMap(({ validUntilMs }) => validUntilMs ?? []);
  return ends.length > 0 ? Math.min(...ends) : undefined;
};

/** Returns what was expected of the time until which a change is worth applying; undefined if it is valid. */
export const validUntilFault = (validUntilMs: number, nowMs: number): string | undefined => {
  const isAhead = validUntilMs > nowMs && validUntilMs <= nowMs + maxValidDays * 86_400_000;
  return isAhead ? undefined : `Expected a time after now, and at most ${maxValidDays} days ahead.`;
};

export type DropReason = (typeof dropReasons)[number];

/** Why a property is dropped, as the audit log has it. */
export type DroppedBecause = EndedBecause | 'dropped-by-operator';

/** Returns the reason that companies see. */
export const dropReasonOf = (because: DroppedBecause): DropReason =>
  because === 'expired' || because === 'dropped-by-operator' ? because : 'access-ended';

/** The properties of an item that were last dropped, with the newest version that asked for one of them. */
export type Drop = {
  readonly version: number;
  readonly atMs: number;
  readonly reason: DropReason;
  /** The names of all properties that were dropped since the last request: the backend is asked for their reported values. */
  readonly names: readonly string[];
};
