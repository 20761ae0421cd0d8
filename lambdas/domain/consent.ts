import { type Contract, isConsentUpToDate, keptRow } from './contract.ts';
import {
  afterWithdrawal,
  type ChangeTimes,
  giftByOperator,
  happenedAtMs,
  isNewlyGiven,
  isOlderWithdrawal,
  type OrderedTimes,
  type Permission,
  type TakenOver,
  withdrawalByOperator,
  withdrawn,
} from './permission.ts';

/** What a contract knows of its owner's consent. */
export type Consent = Pick<
  Contract,
  | 'acceptedConsentVersion'
  | 'acceptedAtMs'
  | 'acceptanceReceivedAtMs'
  | 'consentedSinceMs'
  | 'consentBeganAtMs'
  | 'consentBeganClaimedAtMs'
  | 'consentChangedAtMs'
  | 'consentClaimedAtMs'
>;

/** Nothing is known of it. */
export const noConsent: Consent = {
  acceptedConsentVersion: null,
  acceptedAtMs: null,
  acceptanceReceivedAtMs: null,
  consentedSinceMs: null,
  consentBeganAtMs: null,
  consentBeganClaimedAtMs: null,
  consentChangedAtMs: null,
  consentClaimedAtMs: null,
};

/** A version was accepted at one time by all clocks. */
export const consentGivenAt = (consentVersion: number, atMs: number): Consent => ({
  acceptedConsentVersion: consentVersion,
  acceptedAtMs: atMs,
  acceptanceReceivedAtMs: atMs,
  consentedSinceMs: atMs,
  consentBeganAtMs: atMs,
  consentBeganClaimedAtMs: atMs,
  consentChangedAtMs: atMs,
  consentClaimedAtMs: atMs,
});

/** The version that the owner accepted, and the required one of today. */
export type Acceptance = { readonly consentVersion: number; readonly requiredVersion: number };

/** What an acceptance sets: it also keeps a row that was to go. */
type AcceptedConsent = Consent & Partial<Pick<Contract, 'removeAt'>>;

/** What a change makes of the consent. */
export type ConsentChange = TakenOver<Partial<AcceptedConsent>>;

/**
 * What an acceptance makes of the consent; undefined if it is stale: not newer than what is known, or of a version below
 * the accepted one. Such a version leaves no time behind, or a withdrawal that comes late would be taken for stale.
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
 * What a withdrawal makes of the consent; undefined if it changes nothing. One that is older than the acceptance which
 * stands, and not than the one with which consent began, tells that consent was not given all the time: it counts since the
 * acceptance that stands was taken in, and a repeat finds that it began then.
 */
export const withdrawnConsent = (contract: Contract, times: ChangeTimes): ConsentChange | undefined => {
  const known = knownOf(contract);
  const told = withdrawn(known, times);
  if (told) return { outcome: told.outcome, change: withdrawnAt(told.change) };
  const { consentedSinceMs: since, acceptanceReceivedAtMs: receivedAtMs } = contract;
  // What is withdrawn counts since no time, and a row from before these attributes knows of one acceptance.
  if (since === null || receivedAtMs === null || isOlderWithdrawal(beginOf(contract), times)) return undefined;
  return { outcome: 'noted', change: { consentedSinceMs: Math.max(since, receivedAtMs), ...beganAt(known) } };
};

/** What an operator's acceptance makes of the consent, whatever is known of it. */
export const acceptedByOperator = (contract: Contract, acceptance: Acceptance, nowMs: number): AcceptedConsent =>
  acceptedAt(contract, acceptance, giftByOperator(nowMs));

/** What an operator's withdrawal makes of the consent, whatever is known of it. */
export const withdrawnByOperator = (contract: Contract, nowMs: number): Consent =>
  withdrawnAt(afterWithdrawal(knownOf(contract), withdrawalByOperator(nowMs)));

const knownOf = ({ acceptedConsentVersion, consentChangedAtMs, consentClaimedAtMs }: Contract): Permission => {
  const countsFromMs = consentChangedAtMs ?? Number.NEGATIVE_INFINITY;
  return {
    isGiven: acceptedConsentVersion !== null,
    claimedAtMs: consentClaimedAtMs ?? countsFromMs,
    countsFromMs,
  };
};

/** The times of the acceptance with which consent began; after a row from before these attributes, any withdrawal is a break. */
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
): AcceptedConsent => {
  const { claimedAtMs, countsFromMs, receivedAtMs } = times;
  const { consentedSinceMs, consentBeganAtMs, consentBeganClaimedAtMs } = contract;
  // A row from before these attributes was accepted at the one time that it has.
  const begin = {
    consentedSinceMs: consentedSinceMs ?? contract.acceptedAtMs,
    consentBeganAtMs,
    consentBeganClaimedAtMs,
  };
  return {
    acceptedConsentVersion: consentVersion,
    acceptedAtMs: happenedAtMs(times),
    acceptanceReceivedAtMs: receivedAtMs,
    ...(isConsentUpToDate(contract, requiredVersion) ? begin : { consentedSinceMs: receivedAtMs, ...beganAt(times) }),
    consentChangedAtMs: countsFromMs,
    consentClaimedAtMs: claimedAtMs,
    ...keptRow(contract),
  };
};

const withdrawnAt = ({ claimedAtMs, countsFromMs }: OrderedTimes): Consent => ({
  ...noConsent,
  consentChangedAtMs: countsFromMs,
  consentClaimedAtMs: claimedAtMs,
});
