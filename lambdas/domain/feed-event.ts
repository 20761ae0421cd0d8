import { createHash } from 'node:crypto';
import { type FeedEventTypeName, feedEventTypes } from '../api/schemas/feed.ts';
import { type Contract, grantIn, isConsentUpToDate } from './contract.ts';
import { firstDayOf } from './energy.ts';

/** Something that a company is told by its feed. */
export type FeedEvent = {
  /** The same whenever the same change is told to the same company again. */
  readonly id: string;
  readonly type: FeedEventTypeName;
  /** The time of what has happened, not of its being written down. */
  readonly atMs: number;
  /**
   * When this service took it in, by its own clock, which decides who sees it: the time above is a claim of whoever sent it.
   * Without it, the event was taken in at the time above.
   */
  readonly receivedAtMs?: number;
  /** The gateway that it is about, if it is about one. */
  readonly gatewayId?: string;
  /** The owner of the contract at that time, if the event tells anything of theirs. */
  readonly userId?: string;
  /** The day that it tells of, if it tells of one: it may be long past when this service takes it in. */
  readonly day?: string;
  /** The path to read what it is about. */
  readonly resource: string;
  readonly data: object;
};

/** An event as the feed keeps it: where it could not be seen when it was written down, there is nothing of it but its id. */
export type StoredEvent = FeedEvent | Pick<FeedEvent, 'id'>;

export const isWhole = (event: StoredEvent): event is FeedEvent => 'type' in event;

/** What a change of an item means, before it has an id for each who is told; `part` tells apart events of one change and type. */
export type FeedEventDraft = Omit<FeedEvent, 'id'> & { readonly part?: string };

/** The event of a draft for a company, with an id that follows from the record that the draft came from. */
export const feedEventOf = (
  { part = '', ...draft }: FeedEventDraft,
  { recordId }: { readonly recordId: string },
  companyId: string,
): FeedEvent => {
  const digest = createHash('sha256').update([recordId, companyId, draft.type, part].join('|')).digest('base64url');
  return { id: `evt_${digest.slice(0, 22)}`, ...draft };
};

/** Why a company is not shown an event. */
export type WithheldBecause =
  | 'not-recorded'
  | 'contract-ended'
  | 'before-contract'
  | 'consent-outdated'
  | 'before-consent'
  | 'other-owner'
  | 'gateway-not-granted'
  | 'before-grant'
  | 'day-before-grant';

/** What decides on an event besides itself, as of the moment of the decision. */
export type Viewer = {
  /** The company's contract with the owner of whom the event tells; undefined if there is none. */
  readonly contract: Contract | undefined;
  readonly requiredConsentVersion: number;
};

/**
 * Why an event is withheld from a company, or undefined if it is shown. It is asked before an event is written down, and
 * again whenever it is read: what an owner withdraws stops at once. All of its times are those at which this service took
 * something in, by its own clock: what happened when is a claim of systems whose clocks differ.
 */
export const withheldBecause = (viewer: Viewer, event: StoredEvent): WithheldBecause | undefined => {
  if (!isWhole(event)) return 'not-recorded';
  const { contract, requiredConsentVersion } = viewer;
  const { type, atMs, receivedAtMs = atMs, userId, gatewayId = '', day } = event;
  // A type that only a newer version knows is shown to those alone who may see everything of the gateway.
  const isOfCompany = feedEventTypes[type]?.level === 'company';
  if (isOfCompany) return userId !== undefined && contract?.userId !== userId ? 'other-owner' : undefined;
  if (contract === undefined || contract.userId !== userId) return 'other-owner';
  if (contract.state !== 'active') return 'contract-ended';
  if (receivedAtMs < contract.sinceMs) return 'before-contract';
  if (!isConsentUpToDate(contract, requiredConsentVersion)) return 'consent-outdated';
  if (receivedAtMs < consentedSince(contract)) return 'before-consent';
  const grant = grantIn(contract, gatewayId);
  if (grant === undefined) return 'gateway-not-granted';
  if (receivedAtMs < grant.receivedAtMs) return 'before-grant';
  return day !== undefined && day < firstDayOf(grant) ? 'day-before-grant' : undefined;
};

/**
 * Whether nobody is shown an event any more, whatever its owner gives from now on: what is given anew shows nothing from
 * before. A consent that is outdated may do for another version of the service, and is no such reason. After an erasure, only
 * what tells its company that it is over is kept.
 */
export const isPastForGood = (event: FeedEvent, contract: Contract | undefined): boolean =>
  withheldBecause({ contract, requiredConsentVersion: Number.NEGATIVE_INFINITY }, event) !== undefined ||
  (contract !== undefined && isErasedWith(contract, event) && !isFarewell(event));

const isErasedWith = ({ erasedAtMs }: Contract, { atMs, receivedAtMs = atMs }: FeedEvent): boolean =>
  erasedAtMs !== null && receivedAtMs <= erasedAtMs;

/** Whether an event tells that a company has something of an owner no more: a gateway, the consent or the contract. */
export const isFarewell = (event: StoredEvent): boolean => {
  if (!isWhole(event)) return false;
  const { state, consent } = event.data as {
    readonly state?: string;
    readonly consent?: { readonly acceptedVersion: number | null };
  };
  if (event.type === 'contract.changed') return state === 'ended';
  if (event.type === 'consent.changed') return state === 'ended' || consent?.acceptedVersion === null;
  return event.type === 'gateway.removed';
};

export const isShown = (viewer: Viewer, event: StoredEvent): event is FeedEvent =>
  withheldBecause(viewer, event) === undefined;

/** A row from before that attribute was accepted at the one time that it has. */
const consentedSince = ({ consentedSinceMs, acceptedAtMs }: Contract): number => consentedSinceMs ?? acceptedAtMs ?? 0;

/**
 * What is written down of an event: all of it, if it may be seen now; otherwise nothing but its id, so that it is counted for
 * those who may see others. Undefined where the owner has not consented to anything, or the contract has ended: that something
 * happens would tell of the owner, and when there is access again, an event says that the state is to be read anew. Undefined
 * also for a day from before the grant, which nobody misses who reads the state anew.
 */
export const recordedForm = (
  viewer: Viewer & { readonly contract: Contract },
  event: FeedEvent,
): StoredEvent | undefined => {
  const because = withheldBecause(viewer, event);
  if (because === undefined) return event;
  if (because === 'day-before-grant') return undefined;
  const { acceptedConsentVersion, state } = viewer.contract;
  return acceptedConsentVersion === null || state !== 'active' ? undefined : { id: event.id };
};
