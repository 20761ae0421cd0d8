import type { components } from './generated/types.ts';

type Schemas = components['schemas'];

/** What is gone has no state. */
type Gone = { readonly gatewayId?: never };

/** The `data` of an event, by its type. */
type DataByType = {
  'contract.changed': Schemas['Contract'];
  'consent.changed': Schemas['Contract'];
  'gateway.added': Gone;
  'gateway.removed': Gone;
  'api_key.expiring': {
    readonly keyId: string;
    readonly expiresAt: string;
    /** How long the key is still valid, as an ISO 8601 duration. */
    readonly remaining: string;
    readonly isLastKey: boolean;
  };
  'webhook.disabled': Schemas['Webhook'];
  'gateway.connectivity_changed': Schemas['Gateway'];
  'function.blocked': Schemas['Gateway'];
  'function.unblocked': Schemas['Gateway'];
  'circuit.changed': Schemas['HeatingCircuit'] | Schemas['DhwCircuit'] | Gone;
  'time_program.changed': Schemas['HeatingTimeProgram'] | Schemas['DhwTimeProgram'] | Gone;
};

export type EventType = keyof DataByType;

type Common = Omit<Schemas['FeedEvent'], 'type' | 'data'>;

/** An event of the feed; `type` says what its `data` holds. */
export type FeedEvent = { [Type in EventType]: KnownEvent<Type> }[EventType] | UnknownEvent;

type KnownEvent<Type extends EventType> = Common & { readonly type: Type; readonly data: DataByType[Type] };

/** An event of a type that is newer than the client. It may be ignored. */
export type UnknownEvent = Common & {
  readonly type: 'unknown-event';
  readonly newType: string;
  readonly data: Readonly<Record<string, unknown>>;
};

const isKnown: Readonly<Record<EventType, true>> = {
  'contract.changed': true,
  'consent.changed': true,
  'gateway.added': true,
  'gateway.removed': true,
  'api_key.expiring': true,
  'webhook.disabled': true,
  'gateway.connectivity_changed': true,
  'function.blocked': true,
  'function.unblocked': true,
  'circuit.changed': true,
  'time_program.changed': true,
};

/** The types that this version of the client knows. */
export const eventTypes = Object.keys(isKnown) as EventType[];

/** An event as it came, typed. Its `data` is not checked. */
export const typedEvent = ({ type, ...event }: Schemas['FeedEvent']): FeedEvent =>
  (Object.hasOwn(isKnown, type) ? { ...event, type } : { ...event, type: 'unknown-event', newType: type }) as FeedEvent;
