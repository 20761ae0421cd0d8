import type { contractStates } from '../api/schemas/contract.ts';

/** What binds a company: its addresses, its owner's user id, and what that owner has consented to. */
export type Contract = {
  readonly companyId: string;
  readonly name: string;
  readonly state: (typeof contractStates)[number];
  readonly sinceMs: number;
  /** The owner on whose behalf the company acts. */
  readonly userId: string;
  /** IPv4 and IPv6, `address/prefix length`. */
  readonly allowedCidrs: readonly string[];
  /** Pokes may go to these hosts and to those below them. */
  readonly webhookHosts: readonly string[];
  readonly acceptedConsentVersion: number | null;
  readonly acceptedAtMs: number | null;
  /** Since when consent was up to date without a break; null if it is withdrawn. */
  readonly consentedSinceMs: number | null;
  /** When the owner last accepted or withdrew consent; null if that is not known. Anything known of consent is newer. */
  readonly consentChangedAtMs: number | null;
};

export const isConsentUpToDate = ({ acceptedConsentVersion }: Contract, requiredVersion: number): boolean =>
  acceptedConsentVersion !== null && acceptedConsentVersion >= requiredVersion;
