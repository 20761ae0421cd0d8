import { type ById, findById, idsOf } from './by-id.ts';
import type { Grant } from './grant.ts';
import {
  afterWithdrawal,
  type ChangeTimes,
  giftByOperator,
  isNewlyGiven,
  type OrderedTimes,
  type Permission,
  type TakenOver,
  withdrawalByOperator,
  withdrawn,
} from './permission.ts';

/** Who has a contract with whom. */
export type Parties = {
  readonly companyId: string;
  /** The owner. */
  readonly userId: string;
};

/** What lets a company act on behalf of an owner, and what that owner has consented to. */
export type Contract = Parties & {
  /** An unopened one only keeps what the owner has decided before; nobody is shown it. */
  readonly state: 'unopened' | 'active' | 'ended';
  /** Since when it is in force. */
  readonly sinceMs: number;
  /** From when the last opening or end counts, and when it was by the clock of whoever told it; null if that is not known. */
  readonly stateChangedAtMs: number | null;
  readonly stateClaimedAtMs: number | null;
  /** Those on which the company may act. */
  readonly gateways: ById<Grant>;
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
  /** When all of the owner was last erased here: what was told of the time before is done with. Null if it never was. */
  readonly erasedAtMs: number | null;
  /** When nothing older than the erasure can come any more and the row goes, in epoch seconds; null if the owner has come back. */
  readonly removeAt: number | null;
};

export const isConsentUpToDate = ({ acceptedConsentVersion }: Contract, requiredVersion: number): boolean =>
  acceptedConsentVersion !== null && acceptedConsentVersion >= requiredVersion;

export const grantIn = ({ gateways }: Pick<Contract, 'gateways'>, gatewayId: string): Grant | undefined =>
  findById(gateways, gatewayId);

/** The ids of the gateways that a contract covers, in their order. */
export const gatewayIdsIn = ({ gateways }: Pick<Contract, 'gateways'>): string[] => idsOf(gateways).sort();

/** A page of the ids of the gateways, in their order; `after` is the last one of the page before. */
export const gatewayPage = (contract: Pick<Contract, 'gateways'>, limit: number, after = '') => {
  const following = gatewayIdsIn(contract).filter((gatewayId) => gatewayId > after);
  const gatewayIds = following.slice(0, limit);
  return { gatewayIds, next: following.length > limit ? gatewayIds.at(-1) : undefined };
};

/** Whether what was told is of the time before the owner was erased: it brings back nothing, and takes nothing away. */
export const isBeforeErasure = ({ erasedAtMs }: Pick<Contract, 'erasedAtMs'>, times: ChangeTimes): boolean =>
  erasedAtMs !== null && !isNewlyGiven({ isGiven: false, ...withdrawalByOperator(erasedAtMs) }, times);

/** Whether a contract was changed after the erasure of its owner: repeating the erasure would revert the change. */
export const isChangedSinceErasure = (contract: Contract): boolean => {
  const { erasedAtMs, stateClaimedAtMs, consentClaimedAtMs, gateways } = contract;
  if (erasedAtMs === null) return false;
  const { claimedAtMs } = withdrawalByOperator(erasedAtMs);
  return (
    idsOf(gateways).length > 0 || [stateClaimedAtMs, consentClaimedAtMs].some((atMs) => Number(atMs) > claimedAtMs)
  );
};

/** What keeps the row of an owner who gives something again after an erasure; nothing of any other row. */
export const keptRow = ({ removeAt }: Pick<Contract, 'removeAt'>): Partial<Pick<Contract, 'removeAt'>> =>
  removeAt === null ? {} : { removeAt: null };

type State = Pick<Contract, 'state' | 'sinceMs' | 'stateChangedAtMs' | 'stateClaimedAtMs'> &
  Partial<Pick<Contract, 'removeAt'>>;

/**
 * What an opening that was told makes of a contract; undefined if it is stale. One that is open begins no anew; one whose end
 * came first is known from then on, and has ended.
 */
export const openedContract = (contract: Contract, times: ChangeTimes): TakenOver<Partial<State>> | undefined => {
  if (!isNewlyGiven(knownOf(contract), times))
    return contract.state === 'unopened'
      ? { outcome: 'noted', change: { state: 'ended', sinceMs: times.receivedAtMs } }
      : undefined;
  const isOpen = contract.state === 'active';
  return { outcome: isOpen ? 'noted' : 'applied', change: openedAt(contract, times) };
};

/** What an end that was told makes of it; undefined if it is stale. Consent and gateways stay known, and give no access. */
export const endedContract = (contract: Contract, times: ChangeTimes): TakenOver<Partial<State>> | undefined => {
  const told = withdrawn(knownOf(contract), times);
  return told && { outcome: told.outcome, change: endedAt(contract, told.change) };
};

/** What an operator's opening makes of it, whatever was told. */
export const openedByOperator = (contract: Contract, nowMs: number): State => openedAt(contract, giftByOperator(nowMs));

/** What an operator's end makes of it, whatever was told. */
export const endedByOperator = (contract: Contract, nowMs: number): Partial<State> =>
  endedAt(contract, afterWithdrawal(knownOf(contract), withdrawalByOperator(nowMs)));

const knownOf = ({ state, stateChangedAtMs, stateClaimedAtMs }: Contract): Permission => ({
  isGiven: state === 'active',
  claimedAtMs: stateClaimedAtMs ?? Number.NEGATIVE_INFINITY,
  countsFromMs: stateChangedAtMs ?? Number.NEGATIVE_INFINITY,
});

const openedAt = (contract: Contract, { claimedAtMs, countsFromMs, receivedAtMs }: ChangeTimes): State => ({
  state: 'active',
  sinceMs: contract.state === 'active' ? contract.sinceMs : receivedAtMs,
  stateChangedAtMs: countsFromMs,
  stateClaimedAtMs: claimedAtMs,
  ...keptRow(contract),
});

/** One that was never opened only keeps the time, so that an opening from before it gives nothing. */
const endedAt = ({ state }: Contract, { claimedAtMs, countsFromMs }: OrderedTimes): Partial<State> => ({
  ...(state !== 'unopened' && { state: 'ended' }),
  stateChangedAtMs: countsFromMs,
  stateClaimedAtMs: claimedAtMs,
});
