import type { consumers } from '../api/background-functions.ts';
import type { Settings } from '../api/environment.ts';
import type { EffectOutcome } from '../api/inbound-events/inbound-event.ts';
import type { InboundEvent, InboundEventType, TypeFrom } from '../api/inbound-events/inbound-events.ts';
import type { InboundQueueName } from '../api/queues.ts';
import type { Store } from '../data/store/store.ts';

type Rows = typeof consumers;

/** The consumers of queues, by name. */
export type QueueConsumer = {
  [Name in keyof Rows]: Rows[Name]['source'] extends { readonly queue: InboundQueueName } ? Name : never;
}[keyof Rows];

/** What the effects of a consumer may use: the store, the time, and the settings that its row names. */
export type EffectContext<Name extends QueueConsumer> = {
  readonly store: Store;
  readonly nowMs: () => number;
  readonly setting: <Setting extends Rows[Name]['settings'][number]>(name: Setting) => Settings[Setting];
};

/** Makes an event so. It throws for nothing that the event says, only where the fault is ours. */
export type Effect<Name extends QueueConsumer, Type extends InboundEventType> = (
  context: EffectContext<Name>,
  event: InboundEvent<Type>,
) => Promise<{ readonly outcome: EffectOutcome }>;

/** An effect for each type of events that the consumer's queue delivers. */
export type Effects<Name extends QueueConsumer> = {
  readonly [Type in TypeFrom<Rows[Name]['source']['queue']>]: Effect<Name, Type>;
};
