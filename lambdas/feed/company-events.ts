import { isDeepStrictEqual } from 'node:util';
import { keyNoticeBody } from '../answers/api-keys.ts';
import { contractBody } from '../answers/contract.ts';
import { webhookBody } from '../answers/webhooks.ts';
import type { Settings } from '../api/environment.ts';
import { toContract } from '../data/contracts/contracts.ts';
import type { ItemChange } from '../data/store/stream-record.ts';
import { toWebhook } from '../data/webhooks/webhooks.ts';
import { entriesOf, findById, idsOf } from '../domain/by-id.ts';
import type { Contract } from '../domain/contract.ts';
import type { FeedEventDraft } from '../domain/feed-event.ts';

type ConsentSettings = Pick<Settings, 'requiredConsentVersion' | 'consentPortalUrl'>;

/** Returns the feed events of a changed item of Contracts, for its company. */
export const contractEvents = ({ before, after, atMs }: ItemChange, settings: ConsentSettings): FeedEventDraft[] => {
  if (!after) return [];
  const contract = toContract({ ...after });
  // Decisions made before the contract was opened are reported when it is opened.
  if (contract.state === 'unopened') return [];
  const seen = before ? toContract({ ...before }) : undefined;
  const old = seen?.state === 'unopened' ? undefined : seen;
  return [...changesOfContract(old, contract, atMs, settings), ...changesOfGateways(old?.gateways, contract, atMs)];
};

const changesOfContract = (
  old: Contract | undefined,
  contract: Contract,
  atMs: number,
  settings: ConsentSettings,
): FeedEventDraft[] => {
  const data = contractBody(contract, settings);
  const seen = old && contractBody(old, settings);
  const { consent, ...rest } = data;
  const { consent: seenConsent, ...seenRest } = seen ?? {};
  // With `userId`, the event is shown only under a contract with this owner.
  const shared = { resource: '/contract', userId: contract.userId, data };
  return [
    ...(isDeepStrictEqual(rest, seenRest) ? [] : [{ type: 'contract.changed' as const, atMs, ...shared }]),
    ...(seen === undefined || isDeepStrictEqual(consent, seenConsent)
      ? []
      : [
          {
            type: 'consent.changed' as const,
            atMs: contract.acceptedAtMs ?? contract.consentChangedAtMs ?? atMs,
            ...shared,
          },
        ]),
  ];
};

/**
 * A gateway that is granted again is also added again: earlier events are withheld, so the partner must read its state
 * again.
 */
const changesOfGateways = (
  before: Contract['gateways'] = {},
  { userId, gateways: after }: Contract,
  atMs: number,
): FeedEventDraft[] => {
  const shared = (gatewayId: string) => ({
    gatewayId,
    userId,
    resource: `/hvacs/${gatewayId}`,
    data: {},
    part: gatewayId,
  });
  const added = entriesOf(after).filter(([gatewayId, grant]) => !isDeepStrictEqual(findById(before, gatewayId), grant));
  return [
    ...idsOf(before)
      .filter((gatewayId) => findById(after, gatewayId) === undefined)
      .map((gatewayId) => ({ type: 'gateway.removed' as const, atMs, ...shared(gatewayId) })),
    ...added.map(([gatewayId, { grantedAtMs }]) => ({
      type: 'gateway.added' as const,
      atMs: grantedAtMs,
      ...shared(gatewayId),
    })),
  ];
};

/** Returns the feed events of a new row of KeyNotices, for its company; the deletion of a row produces no event. */
export const keyNoticeEvents = ({ before, after, atMs }: ItemChange): FeedEventDraft[] => {
  if (before || !after) return [];
  return [{ type: 'api_key.expiring', atMs, resource: '/api-keys', data: keyNoticeBody(after) }];
};

/**
 * Returns the feed events of a changed item of Webhooks, for its company; leases and the times of webhook messages produce no
 * event.
 */
export const webhookEvents = ({ before, after, atMs }: ItemChange): FeedEventDraft[] => {
  if (after?.state !== 'disabled' || before?.state === 'disabled') return [];
  const webhook = toWebhook({ ...after });
  return [
    {
      type: 'webhook.disabled',
      atMs: webhook.disabledAtMs ?? atMs,
      resource: `/webhooks/${webhook.webhookId}`,
      data: webhookBody(webhook, atMs),
    },
  ];
};
