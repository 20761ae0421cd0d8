/** What lets a company act on behalf of an owner, and what that owner has consented to. */
export type Contract = {
  readonly companyId: string;
  /** The owner. */
  readonly userId: string;
  readonly state: 'active' | 'ended';
  /** Since when it is in force. */
  readonly sinceMs: number;
  readonly acceptedConsentVersion: number | null;
  /** When that was, which partners see: no later than this service knew of it. */
  readonly acceptedAtMs: number | null;
  /** When this service took that acceptance in, by its own clock. */
  readonly acceptanceReceivedAtMs: number | null;
  /** When this service took in the acceptance since which consent was up to date without a break; null if it is withdrawn. */
  readonly consentedSinceMs: number | null;
  /** From when that acceptance counts, and when it was by the clock of whoever told it: what was withdrawn before is no break. */
  readonly consentBeganAtMs: number | null;
  readonly consentBeganClaimedAtMs: number | null;
  /** From when the owner's last acceptance or withdrawal counts; null if none is known. Anything known of consent is newer. */
  readonly consentChangedAtMs: number | null;
  /** When that was by the clock of whoever told it; null if it is no other time. */
  readonly consentClaimedAtMs: number | null;
};

export const isConsentUpToDate = ({ acceptedConsentVersion }: Contract, requiredVersion: number): boolean =>
  acceptedConsentVersion !== null && acceptedConsentVersion >= requiredVersion;
