import type * as z from 'zod/mini';
import type { InboundQueueName } from '../queues.ts';
import { eventOf } from './envelope.ts';
import { gatewayReportDocs, gatewayReports } from './gateway-reports.ts';
import type { EventDocs, InboundEventRow } from './inbound-event.ts';
import { portalEventDocs, portalEvents } from './portal-events.ts';

/**
 * One row per type of events; validation, queue, effect, `docs/events.json`, the maker's guide and the tests follow from
 * it. The version is part of the type: a change that breaks senders is a new type beside the old one.
 */
export const inboundEvents = { ...portalEvents, ...gatewayReports } as const;

type Rows = typeof inboundEvents;

export type InboundEventType = keyof Rows;

export const inboundEventTypes = Object.keys(inboundEvents) as InboundEventType[];

/** The types that a queue delivers. */
export type TypeFrom<Queue extends InboundQueueName> = {
  [Type in InboundEventType]: Rows[Type]['queue'] extends Queue ? Type : never;
}[InboundEventType];

/** An event that was read and checked. */
export type InboundEvent<Type extends InboundEventType = InboundEventType> = {
  [Each in Type]: {
    readonly id: string;
    readonly type: Each;
    /** The id of a company or a gateway, as the row says. */
    readonly subject: string;
    /** The time of its fact, by the clock of its sender. */
    readonly timeMs: number;
    /** When its message came to the queue, by a clock of AWS. */
    readonly arrivedAtMs: number;
    readonly data: z.output<ReturnType<Rows[Each]['data']>>;
  };
}[Type];

/** The schema of a whole event. */
export const inboundEventSchema = (type: InboundEventType) => eventOf(type, inboundEvents[type] as InboundEventRow);

export const inboundEventDocs = (): { readonly [Type in InboundEventType]: EventDocs<Rows[Type]> } => ({
  ...portalEventDocs(),
  ...gatewayReportDocs(),
});
