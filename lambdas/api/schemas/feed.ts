import * as z from 'zod/mini';
import { pageSize } from '../limits.ts';
import { keyAccesses, keyLabel } from './api-key.ts';
import { heatingCircuitInEventDocs } from './circuit.ts';
import { count, cursor, type Documentation, id, matching, pageLimit, timestamp } from './common.ts';

/** What `after` says in place of a cursor. */
export const latest = 'latest';

export const feedQuery = () => z.object({ limit: pageLimit(), after: z.optional(cursor()) });

export const feedQueryDescriptions = () => ({
  limit: `The number of events that are looked at, withheld ones included; ${pageSize.default} if absent.`,
  after: `The \`nextCursor\` of the page before, unchanged; or \`${latest}\`, to get only a cursor that stands behind the newest event. If absent, the page begins with the oldest event that is kept.`,
});

export const feedEvent = () =>
  z.looseObject({
    id: matching(/^evt_[A-Za-z0-9_-]{22}$/, 26),
    type: matching(/^[a-z_]+\.[a-z_]+$/, 64),
    at: timestamp(),
    userId: z.optional(id()),
    gatewayId: z.optional(id()),
    resource: matching(/^\/[\w./-]*$/, 512),
    data: z.record(matching(/^\w+$/, 64), z.unknown()),
  });

export const feedEventPage = () =>
  z.looseObject({
    items: z.array(feedEvent()).check(z.maxLength(pageSize.max)),
    nextCursor: cursor(),
    hasMore: z.boolean(),
    withheld: count(pageSize.max),
  });

/** The `data` of `api_key.expiring`. */
export const expiringApiKey = () =>
  z.looseObject({
    keyId: id(),
    expiresAt: timestamp(),
    remaining: matching(/^P\d+D$/, 16),
    isLastKey: z.boolean(),
    access: z.optional(z.enum(keyAccesses)),
    label: z.optional(z.nullable(keyLabel())),
  });

export const expiringApiKeyDocs = (): Documentation<typeof expiringApiKey> => ({
  example: {
    keyId: 'f3QnT7wLx0RkVb2Z',
    expiresAt: '2027-05-21T10:15:00Z',
    remaining: 'P14D',
    isLastKey: true,
    access: 'full',
    label: 'Gateway of the north',
  },
  properties: {
    keyId: 'The id of the key.',
    expiresAt: 'When the key expires, UTC.',
    remaining: 'How long the key is still valid, as an ISO 8601 duration.',
    isLastKey:
      'Whether the company has no valid key left after it, or none that can create another, because it may only read or works from no registered address: then only the operator can issue one.',
    access:
      'What the key may do: `full` is all, `read` is the operations of GET alone. Absent from events before version 1.4, whose keys may do all.',
    label: 'The name that the company gave the key; null or absent if it gave none.',
  },
});

export const feedEventDocs = (): Documentation<typeof feedEvent> => ({
  example: {
    id: 'evt_7Qm0aLkVd3S9xYtRb2WcZQ',
    type: 'circuit.changed',
    at: '2026-11-21T10:16:02Z',
    userId: 'owner-4711',
    gatewayId: 'gw-1001',
    resource: '/hvacs/gw-1001/heatingCircuits/hc1',
    data: heatingCircuitInEventDocs().example,
  },
  properties: {
    id: 'The id of the event.',
    type: 'What has happened. `KnownFeedEvent` has the types of this version, each with its `data`. More types may be added: ignore those that you do not know.',
    at: 'When it happened, UTC.',
    userId:
      'The owner whom the event is about, to be sent as `x-user-id` when its resource is read; absent if it is about none.',
    gatewayId: 'The gateway that the event is about; absent if it is about none.',
    resource: 'The path to read what the event is about, as it is now.',
    data: {
      description: 'What the resource was right after the event; what is in it follows from the type.',
      properties: {},
    },
  },
});

export const feedEventPageDocs = (): Documentation<typeof feedEventPage> => ({
  example: { items: [feedEventDocs().example], nextCursor: 'M2ZhOTBiMS5xOHYyWHJUbi40Mg', hasMore: false, withheld: 0 },
  properties: {
    items: {
      description: 'What has happened, in its order. Every event comes once.',
      properties: feedEventDocs().properties,
    },
    nextCursor:
      'Store it when you have processed the page, and send it as `after` to get what follows. It stays the same as long as nothing follows.',
    hasMore: 'Whether more events follow now: if so, go on at once.',
    withheld:
      'How many events of this page you are not shown, since the consent, the contract or the gateway they belong to is gone or is newer than they are. If it is not 0, read the state anew.',
  },
});

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
    summary:
      'A key expires soon. `data` has `keyId`, `expiresAt`, `remaining` (ISO 8601), `isLastKey`, `access` and `label`.',
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
  'fault.reported': {
    level: 'appliance',
    summary:
      'The appliance has a fault or needs maintenance, or says something else of it than before. `data` is what GET of the gateway answers; `faults` lists what is open.',
  },
  'fault.cleared': {
    level: 'appliance',
    summary:
      'A fault of the appliance is gone, or its maintenance is done. `data` is what GET of the gateway answers; `faults` lists what is still open.',
  },
  'circuit.changed': {
    level: 'appliance',
    summary:
      'A setting, the state, the version or the last refusal of a circuit has changed, whoever changed it. Measurements alone have no event. `data` is what GET of the resource answers, but for `connectivity`, `connectivitySince` and `stale`, which an event does not know; it is empty if the circuit is gone.',
  },
  'time_program.changed': {
    level: 'appliance',
    summary:
      'A time program has changed, whoever changed it. `data` is what GET of the resource answers; it is empty if the time program is gone.',
  },
  'energy.reported': {
    level: 'appliance',
    summary:
      'The energy of a day is known, or other values of that day than before. `data` is that day as `days` of the resource has it.',
  },
  'holiday.changed': {
    level: 'appliance',
    summary:
      'The holiday of a home has changed or ended, whoever changed it. `data` is what GET of the resource answers; it is empty if the home has no holidays any more.',
  },
} as const satisfies Record<string, FeedEventType>;

export type FeedEventTypeName = keyof typeof feedEventTypes;

export const feedEventTypeNames = /* @__PURE__ */ Object.keys(feedEventTypes) as FeedEventTypeName[];
