import * as z from 'zod/mini';
import type { InboundQueueName } from '../queues.ts';
import { id, sentCount } from '../schemas/common.ts';
import { gatewayReportDocs, gatewayReports } from './gateway-reports.ts';
import { type EventDocs, eventOf, type InboundEventRow, type WithoutNulls } from './inbound-event.ts';

const ofOwner = { queue: 'portalEvents', subject: 'companyId' } as const;

const consentAcceptance = () => z.object({ userId: id(), consentVersion: sentCount() });
const ofUser = () => z.object({ userId: id() });
const installation = () => z.object({ userId: id(), gatewayId: id() });

/** What owners decide in the portal. The subject is the company that acts for the owner. */
const portalEvents = {
  'portal.contract.opened.v1': { ...ofOwner, data: ofUser },
  'portal.contract.ended.v1': { ...ofOwner, data: ofUser, isWithdrawal: true },
  'portal.consent.accepted.v1': { ...ofOwner, data: consentAcceptance },
  'portal.consent.withdrawn.v1': { ...ofOwner, data: ofUser, isWithdrawal: true },
  'portal.installation.added.v1': { ...ofOwner, data: installation },
  'portal.installation.removed.v1': { ...ofOwner, data: installation, isWithdrawal: true },
} as const satisfies Record<string, InboundEventRow>;

/**
 * One row per event type; validation, queue, effect, `docs/events.json`, the maker's guide and the tests are derived from
 * it. The version is part of the type: a change that breaks senders is a new type in addition to the old one.
 */
export const inboundEvents = { ...portalEvents, ...gatewayReports } as const;

type Rows = typeof inboundEvents;

export type InboundEventType = keyof Rows;

export const inboundEventTypes = /* @__PURE__ */ Object.keys(inboundEvents) as InboundEventType[];

/** The types that a queue delivers. */
export type TypeFrom<Queue extends InboundQueueName> = {
  [Type in InboundEventType]: Rows[Type]['queue'] extends Queue ? Type : never;
}[InboundEventType];

/** The data of a type as its sender may write it. */
export type SentData<Type extends InboundEventType> = z.input<ReturnType<Rows[Type]['data']>>;

/** An event that was read and checked. */
export type InboundEvent<Type extends InboundEventType = InboundEventType> = {
  [Each in Type]: {
    readonly id: string;
    readonly type: Each;
    /** The id of a company or a gateway, depending on the row. */
    readonly subject: string;
    /** When the fact occurred, by the clock of its sender. */
    readonly timeMs: number;
    /** When the message arrived at the queue, by a clock of AWS. */
    readonly arrivedAtMs: number;
    readonly data: WithoutNulls<z.output<ReturnType<Rows[Each]['data']>>>;
    /** JSON pointers to the unusable parts, which `data` lacks; absent if every part is usable. */
    readonly unusable?: readonly string[];
    /** JSON pointers to the properties of `data`, and of its own objects, that were sent as null; absent if there is none. */
    readonly nulls?: readonly string[];
  };
}[Type];

/** Returns the schema of a whole event. */
export const inboundEventSchema = (type: InboundEventType) => eventOf(type, inboundEvents[type] as InboundEventRow);

export const inboundEventDocs = (): { readonly [Type in InboundEventType]: EventDocs<Rows[Type]> } => ({
  ...portalEventDocs(),
  ...gatewayReportDocs(),
});

type PortalRows = typeof portalEvents;

const portalEventDocs = (): { readonly [Type in keyof PortalRows]: EventDocs<PortalRows[Type]> } => {
  const userId = 'The owner. The events of an owner may arrive in any order, even before the contract is opened.';
  const installationDescriptions = { userId, gatewayId: 'The gateway of the installation.' };
  const installationExample = { subject: 'acme', data: { userId: 'owner-4711', gatewayId: 'gw-1001' } };
  return {
    'portal.contract.opened.v1': {
      summary:
        'The owner has chosen the company. The company may control the owner’s installations when consent is given. The event is refused if the company has not been onboarded.',
      example: { subject: 'acme', data: { userId: 'owner-4711' } },
      properties: { userId },
    },
    'portal.contract.ended.v1': {
      summary:
        'The owner has ended the contract. If the order of events is ambiguous, the end takes precedence, as for a withdrawal of consent.',
      example: { subject: 'acme', data: { userId: 'owner-4711' } },
      properties: { userId },
    },
    'portal.consent.accepted.v1': {
      summary:
        'The owner accepted a version of the terms. A version lower than the accepted version has no effect, and a version that does not exist is refused. The consent counts from the time of the event or its arrival, whichever is earlier.',
      example: { subject: 'acme', data: { userId: 'owner-4711', consentVersion: 3 } },
      properties: { userId, consentVersion: 'The version that the owner accepted.' },
    },
    'portal.consent.withdrawn.v1': {
      summary:
        'The owner withdrew consent. If the order of events is ambiguous, the withdrawal takes precedence: an acceptance counts as newer only if both its time and its arrival are later.',
      example: { subject: 'acme', data: { userId: 'owner-4711' } },
      properties: { userId },
    },
    'portal.installation.added.v1': {
      summary:
        'The owner granted the company access to a gateway. An event with a later `time` starts a new grant: partners see no data from before it, and open changes of before are dropped. To send an existing grant again, keep its `id` and `time`.',
      example: installationExample,
      properties: installationDescriptions,
    },
    'portal.installation.removed.v1': {
      summary: 'The company no longer has access to a gateway.',
      example: installationExample,
      properties: installationDescriptions,
    },
  };
};
