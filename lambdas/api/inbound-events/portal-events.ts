import * as z from 'zod/mini';
import { count, id } from '../schemas/common.ts';
import type { EventDocs, InboundEventRow } from './inbound-event.ts';

const ofOwner = { queue: 'portalEvents', subject: 'companyId' } as const;

const consentAcceptance = () => z.object({ userId: id(), consentVersion: count() });
const consentWithdrawal = () => z.object({ userId: id() });
const installation = () => z.object({ userId: id(), gatewayId: id() });

/** What owners decide in the portal. The subject is the company that acts for the owner. */
export const portalEvents = {
  'portal.consent.accepted.v1': { ...ofOwner, data: consentAcceptance },
  'portal.consent.withdrawn.v1': { ...ofOwner, data: consentWithdrawal },
  'portal.installation.added.v1': { ...ofOwner, data: installation },
  'portal.installation.removed.v1': { ...ofOwner, data: installation },
} as const satisfies Record<string, InboundEventRow>;

type Rows = typeof portalEvents;

export const portalEventDocs = (): { readonly [Type in keyof Rows]: EventDocs<Rows[Type]> } => {
  const userId = 'The owner. An event of another user than the one of the contract is refused.';
  const installationDescriptions = { userId, gatewayId: 'The gateway of the installation.' };
  const installationExample = { subject: 'acme', data: { userId: 'owner-4711', gatewayId: 'gw-1001' } };
  return {
    'portal.consent.accepted.v1': {
      summary:
        'The owner consented to a version of the terms. A lower version than the accepted one changes nothing, and one that nobody has written is refused. It counts from its time or its arrival, whichever is earlier.',
      example: { subject: 'acme', data: { userId: 'owner-4711', consentVersion: 3 } },
      properties: { userId, consentVersion: 'The version that the owner accepted.' },
    },
    'portal.consent.withdrawn.v1': {
      summary:
        'The owner withdrew consent. In doubt it holds: an acceptance is newer only if both its time and its arrival are.',
      example: { subject: 'acme', data: { userId: 'owner-4711' } },
      properties: { userId },
    },
    'portal.installation.added.v1': {
      summary: 'The owner lets the company act on a gateway.',
      example: installationExample,
      properties: installationDescriptions,
    },
    'portal.installation.removed.v1': {
      summary: 'The company may no longer act on a gateway.',
      example: installationExample,
      properties: installationDescriptions,
    },
  };
};
