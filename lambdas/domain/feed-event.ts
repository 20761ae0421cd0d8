import { createHash } from 'node:crypto';
import { type FeedEventTypeName, feedEventTypes } from '../api/schemas/feed.ts';
import { type Contract, grantIn, isConsentUpToDate } from './contract.ts';
import { newestDayAt } from './energy.ts';
import type { Grant } from './grant.ts';

/** An event of a company's feed. */
export type FeedEvent = {
  /** The same whenever the same change is recorded again for the same company. */
  readonly id: string;
  readonly type: FeedEventTypeName;
  /** When the change happened, not when the event was recorded. */
  readonly atMs: number;
  /**
   * When this service received the change, by its own clock. It decides who sees the event, because `atMs` is a claim of the
   * sender. If absent, the change was received at `atMs`.
   */
  readonly receivedAtMs?: number;
  /** The gateway that the event is about, if any. */
  readonly gatewayId?: string;
  /** The owner of the contract at that time, if the event has information about the owner. */
  readonly userId?: string;
  /** The day that the event is about, if any: it may be long past when this service receives the event. */
  readonly day?: string;
  /** The path of the resource that the event is about. */
  readonly resource: string;
  readonly data: object;
};

/** An event as the feed stores it: only its id, if it was not visible when it was recorded, or was purged since. */
export type StoredEvent = FeedEvent | Pick<FeedEvent, 'id'>;

export const isWhole = (event: StoredEvent): event is FeedEvent => 'type' in event;

/** The event for a change of an item, before it has an id for each company. */
export type FeedEventDraft = Omit<FeedEvent, 'id'> & {
  /** Distinguishes events of one change and type. */
  readonly part?: string;
  /**
   * Returns the data for a company that was granted the gateway at a time, if that makes a difference; undefined if the company
   * sees no change.
   */
  readonly dataSince?: (grantedAtMs: number) => object | undefined;
};

/** Returns the event of a draft for a company. Its id is derived from the record that the draft came from. */
export const feedEventOf = (
  { part = '', dataSince: _, ...draft }: FeedEventDraft,
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
  | 'day-before-access';

/** What decides, besides the event itself, whether it is shown, at the time of the decision. */
export type Viewer = {
  /** The company's contract with the owner of the event; undefined if there is none. */
  readonly contract: Contract | undefined;
  readonly requiredConsentVersion: number;
};

/**
 * Returns why an event is withheld from a company, or undefined if it is shown. This is checked before an event is recorded,
 * and again whenever it is read: a withdrawal takes effect at once. All times are those at which this service received
 * something, by its own clock: other times are claims of systems whose clocks differ.
 */
export const withheldBecause = (viewer: Viewer, event: StoredEvent): WithheldBecause | undefined => {
  if (!isWhole(event)) return 'not-recorded';
  const { contract } = viewer;
  const { type, atMs, receivedAtMs = atMs, userId, gatewayId = '', day } = event;
  // An event type of a newer version is shown only to companies that may see everything of the gateway.
  const isOfCompany = feedEventTypes[type]?.level === 'company';
  if (isOfCompany) return userId !== undefined && contract?.userId !== userId ? 'other-owner' : undefined;
  return hiddenBecause(viewer, { userId, gatewayId, receivedAtMs, day });
};

/** The state of a gateway at a time, under the contract with an owner. */
type PastState = {
  readonly userId: string | undefined;
  readonly gatewayId: string;
  readonly receivedAtMs: number;
  readonly day?: string | undefined;
};

/** Returns why a company may not see the state that a gateway had at a time; undefined if it may. */
export const hiddenBecause = (
  { contract, requiredConsentVersion }: Viewer,
  { userId, gatewayId, receivedAtMs, day }: PastState,
): WithheldBecause | undefined => {
  if (contract === undefined || contract.userId !== userId) return 'other-owner';
  if (contract.state !== 'active') return 'contract-ended';
  if (receivedAtMs < contract.sinceMs) return 'before-contract';
  if (!isConsentUpToDate(contract, requiredConsentVersion)) return 'consent-outdated';
  if (receivedAtMs < consentedSince(contract)) return 'before-consent';
  const grant = grantIn(contract, gatewayId);
  if (grant === undefined) return 'gateway-not-granted';
  if (receivedAtMs < grant.receivedAtMs) return 'before-grant';
  return day !== undefined && day < newestDayAt(seesSinceMs(contract, grant)) ? 'day-before-access' : undefined;
};

/**
 * Returns since when a company may see what a gateway has measured: the latest of the receipts of the grant, of the opening of
 * the contract after its last end, and of the consent after its last withdrawal. An outdated consent hides what happened
 * meanwhile only from the feed: the reads show it once consent is renewed.
 */
export const seesSinceMs = ({ sinceMs, consentGivenSinceMs }: Contract, { receivedAtMs }: Grant): number =>
  Math.max(receivedAtMs, sinceMs, Number(consentGivenSinceMs));

/**
 * Whether an event is never shown again, whatever its owner permits from now on: new permissions do not cover earlier events.
 * An outdated consent is no such reason, since it may suffice for another version of the service. Of the events from before an
 * erasure, only those that report the end of a company's access stay visible.
 */
export const isPastForGood = (event: FeedEvent, contract: Contract | undefined): boolean =>
  withheldBecause({ contract, requiredConsentVersion: Number.NEGATIVE_INFINITY }, event) !== undefined ||
  (contract !== undefined && isErasedWith(contract, event) && !endsAccess(event));

const isErasedWith = ({ erasedAtMs }: Contract, { atMs, receivedAtMs = atMs }: FeedEvent): boolean =>
  erasedAtMs !== null && receivedAtMs <= erasedAtMs;

/** Whether an event reports that a company's access has ended: that to a gateway, the consent, or the contract. */
export const endsAccess = (event: StoredEvent): boolean => {
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

/** Since when consent is up to date; 0 if it is not given. */
export const consentedSince = ({ consentedSinceMs }: Contract): number => consentedSinceMs ?? 0;

/**
 * Returns what to record of an event: all of it if it is visible now, or else only its id, so that it counts as withheld.
 * Returns undefined if the owner has not consented to anything, or the contract has ended: even the fact that something
 * happened would reveal something about the owner, and once access returns, an event requires the state to be read again. Also
 * returns undefined for a day from before the access, which a company that reads the state again does not miss.
 */
export const recordedForm = (
  viewer: Viewer & { readonly contract: Contract },
  event: FeedEvent,
): StoredEvent | undefined => {
  const because = withheldBecause(viewer, event);
  if (because === undefined) return event;
  if (because === 'day-before-access') return undefined;
  const { acceptedConsentVersion, state } = viewer.contract;
  return acceptedConsentVersion === null || state !== 'active' ? undefined : { id: event.id };
};
