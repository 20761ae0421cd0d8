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

export type EndedBecause = WithheldBecause | 'company-suspended';

/**
 * Returns why a requested change must not be done any more; undefined if it may. The permission on which it rested has to hold
 * still: one that ended and was given again is another one.
 */
export const endedBecause = (
  { company, ...viewer }: Permissions,
  gatewayId: string,
  { userId, permittedSinceMs }: Pick<Requester, 'userId' | 'permittedSinceMs'>,
): EndedBecause | undefined =>
  company?.state === 'active'
    ? hiddenBecause(viewer, { userId, gatewayId, receivedAtMs: permittedSinceMs })
    : 'company-suspended';

export type DropReason = (typeof dropReasons)[number];

/** The properties of an item that were last dropped, with the newest version that asked for one of them. */
export type Drop = {
  readonly version: number;
  readonly atMs: number;
  readonly reason: DropReason;
  /** The names of all properties that were dropped since the last request: the backend is asked for their reported values. */
  readonly names: readonly string[];
};
