import { feedEventTypes } from '../../api/feed/event-types.ts';
import { type Contract, isConsentUpToDate } from '../contract.ts';
import type { FeedEvent } from './feed-event.ts';

/** Why a company is not shown an event. */
export type WithheldBecause =
  | 'contract-ended'
  | 'consent-outdated'
  | 'before-consent'
  | 'other-owner'
  | 'gateway-not-granted'
  | 'before-grant';

/** What decides on events besides themselves, as of the moment of the decision. */
export type Viewer = {
  readonly contract: Contract;
  readonly requiredConsentVersion: number;
  /** When the contract began to cover a gateway; undefined if it does not. */
  readonly grantedAtMs: (gatewayId: string) => number | undefined;
};

/**
 * Why an event is withheld from a company, or undefined if it is shown. It is asked before an event is written down, and
 * again whenever it is read: what an owner withdraws stops at once.
 */
export const withheldBecause = (
  { contract, requiredConsentVersion, grantedAtMs }: Viewer,
  { type, atMs, userId, gatewayId = '' }: Omit<FeedEvent, 'id' | 'data'>,
): WithheldBecause | undefined => {
  if (feedEventTypes[type].level === 'company') return undefined;
  if (contract.state === 'ended') return 'contract-ended';
  if (contract.userId !== userId) return 'other-owner';
  if (!isConsentUpToDate(contract, requiredConsentVersion)) return 'consent-outdated';
  if (atMs < consentedSince(contract)) return 'before-consent';
  const sinceMs = grantedAtMs(gatewayId);
  if (sinceMs === undefined) return 'gateway-not-granted';
  return atMs < sinceMs ? 'before-grant' : undefined;
};

/** A row from before that attribute was accepted at the one time that it has. */
const consentedSince = ({ consentedSinceMs, acceptedAtMs }: Contract): number => consentedSinceMs ?? acceptedAtMs ?? 0;
