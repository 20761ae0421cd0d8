import { type Contract, isConsentUpToDate } from './contract.ts';

/** What a contract knows of its owner's consent. */
export type Consent = Pick<
  Contract,
  'acceptedConsentVersion' | 'acceptedAtMs' | 'consentedSinceMs' | 'consentChangedAtMs'
>;

/** Nothing is known of it. */
export const noConsent: Consent = {
  acceptedConsentVersion: null,
  acceptedAtMs: null,
  consentedSinceMs: null,
  consentChangedAtMs: null,
};

/** The owner accepted a version at a time; the required version is the one of today. */
export type Acceptance = { readonly consentVersion: number; readonly requiredVersion: number; readonly atMs: number };

/**
 * What an acceptance makes of the consent; undefined if it is stale: not newer than what is known, or of a version below
 * the accepted one. Such a version leaves no time behind, or a withdrawal that comes late would be taken for stale.
 */
export const acceptedConsent = (
  contract: Contract,
  { consentVersion, requiredVersion, atMs }: Acceptance,
): Consent | undefined => {
  const { acceptedConsentVersion, acceptedAtMs, consentedSinceMs, consentChangedAtMs } = contract;
  if (consentChangedAtMs !== null && atMs <= consentChangedAtMs) return undefined;
  if (acceptedConsentVersion !== null && consentVersion < acceptedConsentVersion) return undefined;
  const isContinued = isConsentUpToDate(contract, requiredVersion);
  return {
    acceptedConsentVersion: consentVersion,
    acceptedAtMs: atMs,
    // A row from before this attribute was accepted at the one time that it has.
    consentedSinceMs: isContinued ? (consentedSinceMs ?? acceptedAtMs) : atMs,
    consentChangedAtMs: atMs,
  };
};

/**
 * What a withdrawal makes of the consent; undefined if it changes nothing. Of equal times it wins over an acceptance. One that
 * comes after a newer acceptance still tells that consent was not given all the time: it counts from that acceptance.
 */
export const withdrawnConsent = (contract: Contract, atMs: number): Partial<Consent> | undefined => {
  const { acceptedConsentVersion, acceptedAtMs, consentedSinceMs, consentChangedAtMs } = contract;
  if (consentChangedAtMs === null || consentChangedAtMs < atMs) return withdrawnAt(atMs);
  if (acceptedConsentVersion === null) return undefined;
  if (consentChangedAtMs === atMs) return withdrawnAt(atMs);
  return consentedSinceMs !== null && consentedSinceMs <= atMs ? { consentedSinceMs: acceptedAtMs } : undefined;
};

const withdrawnAt = (atMs: number): Consent => ({ ...noConsent, consentChangedAtMs: atMs });
