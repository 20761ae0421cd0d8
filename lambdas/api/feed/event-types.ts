/** What the events of a type are about. Those of an appliance are shown as long as the owner's consent covers them. */
export type EventLevel = 'company' | 'appliance';

/** A type of events of the feed. */
export type FeedEventType = {
  readonly level: EventLevel;
  /** What has happened, and what the event's `data` holds, as partners read it. */
  readonly summary: string;
};

/** One row per type of events of the feed, `GET /events`. */
export const feedEventTypes = {
  'contract.changed': {
    level: 'company',
    summary: 'The contract has changed, apart from consent. `data` is what GET of the resource answers.',
  },
  'consent.changed': {
    level: 'company',
    summary: 'The owner has accepted or withdrawn consent. `data` is what GET of the resource answers.',
  },
  'gateway.added': {
    level: 'company',
    summary: 'The contract covers the gateway from now on: read its state. `data` is empty.',
  },
  'gateway.removed': {
    level: 'company',
    summary: 'The contract covers the gateway no longer. `data` is empty.',
  },
  'api_key.expiring': {
    level: 'company',
    summary: 'A key expires soon. `data` has `keyId`, `expiresAt`, `remaining` (ISO 8601) and `isLastKey`.',
  },
  'webhook.disabled': {
    level: 'company',
    summary: 'A webhook was switched off. `data` is what GET of the resource answers.',
  },
  'gateway.connectivity_changed': {
    level: 'appliance',
    summary: 'The gateway has come online or gone offline. `data` is what GET of the resource answers.',
  },
  'function.blocked': {
    level: 'appliance',
    summary:
      'The appliance blocks a function, or blocks it for another time. `data` is what GET of the gateway answers. A block that ends at its `blockedUntil` has no event of its own.',
  },
  'function.unblocked': {
    level: 'appliance',
    summary:
      'The appliance blocks a function no longer, earlier than it had said. `data` is what GET of the gateway answers.',
  },
  'circuit.changed': {
    level: 'appliance',
    summary:
      'A setting, the state, the version or the last refusal of a circuit has changed, whoever changed it. Measurements alone have no event. `data` is what GET of the resource answers; it is empty if the circuit is gone.',
  },
  'time_program.changed': {
    level: 'appliance',
    summary:
      'A time program has changed, whoever changed it. `data` is what GET of the resource answers; it is empty if the time program is gone.',
  },
} as const satisfies Record<string, FeedEventType>;

export type FeedEventTypeName = keyof typeof feedEventTypes;

export const feedEventTypeNames = Object.keys(feedEventTypes) as FeedEventTypeName[];
