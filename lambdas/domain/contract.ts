import { lateDays } from '../api/queues.ts';
import { type ById, findById, idsOf } from './by-id.ts';
import type { Grant } from './grant.ts';
import {
  afterWithdrawal,
  type ChangeTimes,
  givenByOperator,
  isNewlyGiven,
  type OrderedTimes,
  type Permission,
  type TakenOver,
  withdrawalByOperator,
  withdrawn,
} from './permission.ts';

/** The parties of a contract: a company and an owner. */
export type Parties = {
  readonly companyId: string;
  /** The owner. */
  readonly userId: string;
};

/** A company's permission to act on behalf of an owner, and the owner's consent. */
export type Contract = Parties & {
  /** An unopened contract only stores what the owner decided before the opening; partners do not see it. */
  readonly state: 'unopened' | 'active' | 'ended';
  /** Since when it is or was in force, by the clock of this service. */
  readonly sinceMs: number;
  /** From when the last opening or end counts, and its time by the sender's clock; null if not known. */
  readonly stateChangedAtMs: number | null;
  readonly stateClaimedAtMs: number | null;
  /** The gateways on which the company may act. */
  readonly gateways: ById<Grant>;
  readonly acceptedConsentVersion: number | null;
  /** The time of the acceptance that partners see: no later than its receipt by this service. */
  readonly acceptedAtMs: number | null;
  /** When this service received that acceptance, by its own clock. */
  readonly acceptanceReceivedAtMs: number | null;
  /** When this service received the acceptance since which consent was up to date without a break; null if it is withdrawn. */
  readonly consentedSinceMs: number | null;
  /**
   * When this service received the acceptance, of any version, since which the owner has not withdrawn consent; null if consent
   * is withdrawn. An outdated consent is not withdrawn.
   */
  readonly consentGivenSinceMs: number | null;
  /** From when that acceptance counts, and its time by the sender's clock: an earlier withdrawal interrupts nothing. */
  readonly consentBeganAtMs: number | null;
  readonly consentBeganClaimedAtMs: number | null;
  /** From when the owner's last acceptance or withdrawal counts; null if none is known, so that every change is newer. */
  readonly consentChangedAtMs: number | null;
  /** The time of that change by the sender's clock; null if it is the same time. */
  readonly consentClaimedAtMs: number | null;
  /** When all data of the owner was last erased: events from before that time have no effect. Null if it never was. */
  readonly erasedAtMs: number | null;
  /**
   * When the row expires, in epoch seconds: no event from before the erasure can arrive then. Null if the owner has come back.
   */
  readonly removeAt: number | null;
};

export const isConsentUpToDate = ({ acceptedConsentVersion }: Contract, requiredVersion: number): boolean =>
  acceptedConsentVersion !== null && acceptedConsentVersion >= requiredVersion;

/** Whether the company may act on the gateways that the contract covers. */
export const givesAccess = (contract: Contract, requiredConsentVersion: number): boolean =>
  contract.state === 'active' && isConsentUpToDate(contract, requiredConsentVersion);

export const grantIn = ({ gateways }: Pick<Contract, 'gateways'>, gatewayId: string): Grant | undefined =>
  findById(gateways, gatewayId);

/** Returns the ids of the gateways that a contract covers, in their order. */
export const gatewayIdsIn = ({ gateways }: Pick<Contract, 'gateways'>): string[] => idsOf(gateways).sort();

/** Returns a page of the ids of the gateways, in their order; `after` is the last id of the previous page. */
export const gatewayPage = (contract: Pick<Contract, 'gateways'>, limit: number, after = '') => {
  const following = gatewayIdsIn(contract).filter((gatewayId) => gatewayId > after);
  const gatewayIds = following.slice(0, limit);
  return { gatewayIds, next: following.length > limit ? gatewayIds.at(-1) : undefined };
};

/** Whether a change is from before the erasure of the owner: such a change neither gives nor withdraws anything. */
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

/** When no event from before that time can arrive any more, in epoch seconds. */
export const lateUntil = (atMs: number): number => Math.ceil((atMs + lateDays * 86_400_000) / 1000);

/** Returns the change that keeps the row of an owner who withdraws something after an erasure until no earlier event arrives. */
export const keptLonger = (
  { removeAt }: Pick<Contract, 'removeAt'>,
  { claimedAtMs }: Pick<OrderedTimes, 'claimedAtMs'>,
): Partial<Pick<Contract, 'removeAt'>> =>
  removeAt === null ? {} : { removeAt: Math.max(removeAt, lateUntil(claimedAtMs)) };

/** Returns the change that keeps the row of an owner who gives something after an erasure; empty for any other row. */
export const keptRow = ({ removeAt }: Pick<Contract, 'removeAt'>): Partial<Pick<Contract, 'removeAt'>> =>
  removeAt === null ? {} : { removeAt: null };

type State = Pick<Contract, 'state' | 'sinceMs' | 'stateChangedAtMs' | 'stateClaimedAtMs'> &
  Partial<Pick<Contract, 'removeAt'>>;

/**
 * Returns the change of a contract by an opening; undefined if the opening is stale. An open contract does not restart; if the
 * end came first, it is stored as ended.
 */
export const openedContract = (contract: Contract, times: ChangeTimes): TakenOver<Partial<State>> | undefined => {
  if (!isNewlyGiven(knownOf(contract), times))
    return contract.state === 'unopened'
      ? { outcome: 'noted', change: { state: 'ended', sinceMs: times.receivedAtMs } }
      : undefined;
  const isOpen = contract.state === 'active';
  return { outcome: isOpen ? 'noted' : 'applied', change: openedAt(contract, times) };
};

/**
 * Returns the change of a contract by an end; undefined if the end is stale. Consent and gateways are kept, and give no access.
 */
export const endedContract = (contract: Contract, times: ChangeTimes): TakenOver<Partial<State>> | undefined => {
  const told = withdrawn(knownOf(contract), times);
  return told && { outcome: told.outcome, change: endedAt(contract, told.change) };
};

/** Returns the state of a contract after an operator's opening, which overrides what is known. */
export const openedByOperator = (contract: Contract, nowMs: number): State =>
  openedAt(contract, givenByOperator(nowMs));

/** Returns the change of a contract by an operator's end, which overrides what is known. */
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

/** A contract that was never opened only stores the time of the end, so that an earlier opening gives nothing. */
const endedAt = (contract: Contract, { claimedAtMs, countsFromMs }: OrderedTimes): Partial<State> => ({
  ...(contract.state !== 'unopened' && { state: 'ended' }),
  stateChangedAtMs: countsFromMs,
  stateClaimedAtMs: claimedAtMs,
  ...keptLonger(contract, { claimedAtMs }),
});
