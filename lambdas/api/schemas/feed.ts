import * as z from 'zod/mini';
import { maxPageBytes, pageSize } from '../limits.ts';
import { keyAccesses, keyLabel } from './api-key.ts';
import { heatingCircuitInEventDocs } from './circuit.ts';
import { count, cursor, type Documentation, id, matching, pageLimit, timestamp } from './common.ts';

/** The value of `after` that means the present end of the feed. */
export const latest = 'latest';

export const feedQuery = () => z.object({ limit: pageLimit(), after: z.optional(cursor()) });

export const feedQueryDescriptions = () => ({
  limit: `The maximum number of events to read, including withheld events; ${pageSize.default} if absent. A page has at most ${maxPageBytes} bytes of events, or a single event.`,
  after: `The \`nextCursor\` of the previous page, unchanged; or \`${latest}\`, to get only a cursor that points behind the newest event. If absent, the page begins with the oldest event that is kept.`,
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
    access: z.enum(keyAccesses),
    label: z.nullable(keyLabel()),
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
      'Whether the company has no valid key that can create another key after this key expires. Keys that are read-only or work from no registered address cannot create keys. If true, only the operator can issue a key after the expiry.',
    access: 'The access of the key: `full` allows all operations, `read` only GET operations.',
    label: 'The name of the key; null if it has none.',
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
    type: 'The type of the event. `KnownFeedEvent` lists the types of this version, each with its `data`. More types may be added: ignore types that you do not know.',
    at: 'The time of the event, UTC.',
    userId:
      'The owner whom the event concerns. Send it as `x-user-id` when you read `resource`. Absent if the event concerns no owner.',
    gatewayId: 'The gateway that the event concerns; absent if it concerns no gateway.',
    resource: 'The path to read the current state of the resource that the event concerns.',
    data: {
      description: 'The state of the resource right after the event. The type of the event determines its properties.',
      properties: {},
    },
  },
});

export const feedEventPageDocs = (): Documentation<typeof feedEventPage> => ({
  example: { items: [feedEventDocs().example], nextCursor: 'M2ZhOTBiMS5xOHYyWHJUbi40Mg', hasMore: false, withheld: 0 },
  properties: {
    items: {
      description: 'The events in order. Each event is listed once.',
      properties: feedEventDocs().properties,
    },
    nextCursor:
      'Store it when you have processed the page, and send it as `after` to get the next page. It stays the same until there are more events.',
    hasMore: 'Whether there are more events now. If true, read the next page at once.',
    withheld:
      'The number of events of this page that are not shown, because their consent, contract or gateway no longer exists or is newer than the event. If it is not 0, read the state again.',
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
    summary: 'The contract has changed, apart from consent. `data` is the response to a GET of the resource.',
  },
  'consent.changed': {
    level: 'company',
    summary: 'The owner has accepted or withdrawn consent. `data` is the response to a GET of the resource.',
  },
  'gateway.added': {
    level: 'company',
    summary: 'The contract covers the gateway from now on: read its state. `data` is empty.',
  },
  'gateway.removed': {
    level: 'company',
    summary: 'The contract no longer covers the gateway. `data` is empty.',
  },
  'api_key.expiring': {
    level: 'company',
    summary:
      'A key expires soon. `data` has `keyId`, `expiresAt`, `remaining` (ISO 8601), `isLastKey`, `access` and `label`.',
  },
  'webhook.disabled': {
    level: 'company',
    summary: 'A webhook was disabled. `data` is the response to a GET of the resource.',
  },
  'gateway.connectivity_changed': {
    level: 'appliance',
    summary: 'The gateway has come online or gone offline. `data` is the response to a GET of the resource.',
  },
  'function.blocked': {
    level: 'appliance',
    summary:
      'The appliance blocks a function, or the end of the block has changed. `data` is the response to a GET of the gateway. There is no event when a block ends at its `blockedUntil`.',
  },
  'function.unblocked': {
    level: 'appliance',
    summary:
      'The appliance has ended the block of a function before its `blockedUntil`. `data` is the response to a GET of the gateway.',
  },
  'fault.reported': {
    level: 'appliance',
    summary:
      'The appliance has a fault or needs maintenance, or the report of the fault has changed. `data` is the response to a GET of the gateway; `faults` lists all open faults.',
  },
  'fault.cleared': {
    level: 'appliance',
    summary:
      'A fault of the appliance has ended, or its maintenance is done. `data` is the response to a GET of the gateway; `faults` lists the remaining faults.',
  },
  'circuit.changed': {
    level: 'appliance',
    summary:
      'A setting, the state, the version or the last refusal of a circuit has changed, regardless of who made the change. Changes of measurements alone cause no event. `data` is the response to a GET of the resource, without `connectivity`, `connectivitySince` and `stale`; it is empty if the circuit was removed.',
  },
  'time_program.changed': {
    level: 'appliance',
    summary:
      'A time program has changed, regardless of who made the change. `data` is the response to a GET of the resource; it is empty if the time program was removed.',
  },
  'energy.reported': {
    level: 'appliance',
    summary: 'The energy of a day was reported or corrected. `data` is the day in the form of `days` of the resource.',
  },
  'holiday.changed': {
    level: 'appliance',
    summary:
      'The holiday of a home has changed or ended, regardless of who made the change. `data` is the response to a GET of the resource; it is empty if the home no longer supports holidays.',
  },
} as const satisfies Record<string, FeedEventType>;

export type FeedEventTypeName = keyof typeof feedEventTypes;
