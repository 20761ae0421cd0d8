import { eventTypes } from './generated/event-types.ts';
import type { components } from './generated/types.ts';

type Schemas = components['schemas'];

/** The types that this version of the client knows. */
export { eventTypes };

export type EventType = (typeof eventTypes)[number];

/** An event of the feed; `type` says what its `data` holds. */
export type FeedEvent = Schemas['KnownFeedEvent'] | UnknownEvent;

/** An event of a type that is newer than the client. It may be ignored. */
export type UnknownEvent = Omit<Schemas['FeedEvent'], 'type'> & {
  readonly type: 'unknown-event';
  readonly newType: string;
};

/** An event as it came, typed. Its `data` is not checked. */
export const typedEvent = ({ type, ...event }: Schemas['FeedEvent']): FeedEvent => {
  const isKnown = eventTypes.some((known) => known === type);
  return (isKnown ? { ...event, type } : { ...event, type: 'unknown-event', newType: type }) as FeedEvent;
};
