import type * as z from 'zod/mini';
import type { InboundQueueName } from '../queues.ts';
import type { Schema } from '../schemas/common.ts';

/** Everything that is known about a type of events before one arrives. */
export type InboundEventRow = {
  /** The only queue that may deliver it. */
  readonly queue: InboundQueueName;
  /** What the event's `subject` is the id of. */
  readonly subject: 'companyId' | 'gatewayId';
  /** Describes the event's `data`; properties that it does not know are ignored. */
  readonly data: Schema;
};

/**
 * The words and the example that the maker's teams read about a type of events. They stand beside the rows as a function
 * of their own, which no handler calls: so the bundler leaves them out of every function.
 */
export type EventDocs<Row extends InboundEventRow> = {
  readonly summary: string;
  readonly example: { readonly subject: string; readonly data: z.output<ReturnType<Row['data']>> };
  readonly properties: EventDescriptions;
};

/** A description of every property of `data`. That of an object, or of a list of objects, includes those of its properties. */
export type EventDescriptions = {
  readonly [name: string]: string | { readonly description: string; readonly properties: EventDescriptions };
};
