import { type Contract, isConsentUpToDate, keptLonger, keptRow } from './contract.ts';
import {
  afterWithdrawal,
  type ChangeTimes,
  givenByOperator,
  happenedAtMs,
  isNewlyGiven,
  isOlderWithdrawal,
  type OrderedTimes,
  type Permission,
  type TakenOver,
  withdrawalByOperator,
  withdrawn,
} from './permission.ts';

/** The attributes of a contract about its owner's consent. */
export type Consent = Pick<
  Contract,
  | 'acceptedConsentVersion'
  | 'acceptedAtMs'
  | 'acceptanceReceivedAtMs'
  | 'consentedSinceMs'
  | 'consentGivenSinceMs'
  | 'consentBeganAtMs'
  | 'consentBeganClaimedAtMs'
  | 'consentChangedAtMs'
  | 'consentClaimedAtMs'
>;

/** No consent is known. */
export const noConsent: Consent = {
  acceptedConsentVersion: null,
  acceptedAtMs: null,
  acceptanceReceivedAtMs: null,
  consentedSinceMs: null,
  consentGivenSinceMs: null,
  consentBeganAtMs: null,
  consentBeganClaimedAtMs: null,
  consentChangedAtMs: null,
  consentClaimedAtMs: null,
};

/** Returns the consent to a version, with the same time for all attributes. */
export const consentGivenAt = (consentVersion: number, atMs: number): Consent => ({
  acceptedConsentVersion: consentVersion,
  acceptedAtMs: atMs,
  acceptanceReceivedAtMs: atMs,
  consentedSinceMs: atMs,
  consentGivenSinceMs: atMs,
  consentBeganAtMs: atMs,
  consentBeganClaimedAtMs: atMs,
  consentChangedAtMs: atMs,
  consentClaimedAtMs: atMs,
});

/** The version that the owner accepted, and the version that is required today. */
export type Acceptance = { readonly consentVersion: number; readonly requiredVersion: number };

/** What an acceptance or a withdrawal sets: it also keeps the row from expiring, or for longer. */
type ChangedConsent = Consent & Partial<Pick<Contract, 'removeAt'>>;

/** A change of the consent. */
export type ConsentChange = TakenOver<Partial<ChangedConsent>>;

/**
 * Returns the change of the consent by an acceptance; undefined if the acceptance is stale: not newer than what is known, or of
 * a version below the accepted one. The time of such a version is not stored, or else a late withdrawal would seem stale.
 */
export const acceptedConsent = (
  contract: Contract,
  acceptance: Acceptance,
  times: ChangeTimes,
): ConsentChange | undefined => {
  const { acceptedConsentVersion: accepted } = contract;
  if (!isNewlyGiven(knownOf(contract), times)) return undefined;
  if (accepted !== null && acceptance.consentVersion < accepted) return undefined;
  const change = acceptedAt(contract, acceptance, times);
  const isChange = isConsentUpToDate(contract, acceptance.requiredVersion) !== isCovered(acceptance);
  return { outcome: isChange ? 'applied' : 'noted', change };
};

/**
 * Returns the change of the consent by a withdrawal; undefined if it changes nothing. A withdrawal that is older than the
 * current acceptance, but not older than the one with which consent began, shows that consent was interrupted: consent then
 * counts from the receipt of the current acceptance. That acceptance is stored as the beginning, so a repeat of the withdrawal
 * changes nothing.
 */
export const withdrawnConsent = (contract: Contract, times: ChangeTimes): ConsentChange | undefined => {
  const known = knownOf(contract);
  const told = withdrawn(known, times);
  if (told) return { outcome: told.outcome, change: withdrawnAt(contract, told.change) };
  const { consentedSinceMs, consentGivenSinceMs, acceptanceReceivedAtMs: receivedAtMs } = contract;
  // A withdrawn consent has no beginning.
  if (receivedAtMs === null || isOlderWithdrawal(beginOf(contract), times)) return undefined;
  const change = {
    consentedSinceMs: Math.max(Number(consentedSinceMs), receivedAtMs),
    consentGivenSinceMs: Math.max(Number(consentGivenSinceMs), receivedAtMs),
    ...beganAt(known),
  };
  return { outcome: 'noted', change };
};

/** Returns the consent after an operator's acceptance, which overrides what is known. */
export const acceptedByOperator = (contract: Contract, acceptance: Acceptance, nowMs: number): ChangedConsent =>
  acceptedAt(contract, acceptance, givenByOperator(nowMs));

/** Returns the consent after an operator's withdrawal, which overrides what is known. */
export const withdrawnByOperator = (contract: Contract, nowMs: number): ChangedConsent =>
  withdrawnAt(contract, afterWithdrawal(knownOf(contract), withdrawalByOperator(nowMs)));

const knownOf = ({ acceptedConsentVersion, consentChangedAtMs, consentClaimedAtMs }: Contract): Permission => {
  const countsFromMs = consentChangedAtMs ?? Number.NEGATIVE_INFINITY;
  return {
    isGiven: acceptedConsentVersion !== null,
    claimedAtMs: consentClaimedAtMs ?? countsFromMs,
    countsFromMs,
  };
};

/** The times of the acceptance with which consent began. */
const beginOf = ({ consentBeganAtMs, consentBeganClaimedAtMs }: Contract): OrderedTimes => ({
  countsFromMs: consentBeganAtMs ?? Number.NEGATIVE_INFINITY,
  claimedAtMs: consentBeganClaimedAtMs ?? Number.NEGATIVE_INFINITY,
});

const beganAt = ({ countsFromMs, claimedAtMs }: OrderedTimes) => ({
  consentBeganAtMs: countsFromMs,
  consentBeganClaimedAtMs: claimedAtMs,
});

const isCovered = ({ consentVersion, requiredVersion }: Acceptance): boolean => consentVersion >= requiredVersion;

const acceptedAt = (
  contract: Contract,
  { consentVersion, requiredVersion }: Acceptance,
  times: ChangeTimes,
): ChangedConsent => {
  const { claimedAtMs, countsFromMs, receivedAtMs } = times;
  const { consentedSinceMs, consentGivenSinceMs, consentBeganAtMs, consentBeganClaimedAtMs } = contract;
  const begin = { consentGivenSinceMs, consentBeganAtMs, consentBeganClaimedAtMs };
  return {
    acceptedConsentVersion: consentVersion,
    acceptedAtMs: happenedAtMs(times),
    acceptanceReceivedAtMs: receivedAtMs,
    consentedSinceMs: isConsentUpToDate(contract, requiredVersion) ? consentedSinceMs : receivedAtMs,
    ...(knownOf(contract).isGiven ? begin : { consentGivenSinceMs: receivedAtMs, ...beganAt(times) }),
    consentChangedAtMs: countsFromMs,
    consentClaimedAtMs: claimedAtMs,
    ...keptRow(contract),
  };
};

const withdrawnAt = (contract: Contract, { claimedAtMs, countsFromMs }: OrderedTimes): ChangedConsent => ({
  ...noConsent,
  consentChangedAtMs: countsFromMs,
  consentClaimedAtMs: claimedAtMs,
  ...keptLonger(contract, { claimedAtMs }),
});
