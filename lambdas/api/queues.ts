import { maxMessageBytes } from './limits.ts';

/** The maker's other systems, by the `source` of their events. */
const neighbours = ['portal', 'gateway-backend'] as const;
export type Neighbour = (typeof neighbours)[number];

/** An SQS queue between the service and one of the maker's other systems, or within the service. */
export type Queue = (OfNeighbour | Within) & {
  readonly summary: string;
  /** A FIFO queue keeps the order of the messages of one group. */
  readonly kind: 'standard' | 'fifo';
  /** SQS refuses to accept a longer message. */
  readonly maxMessageBytes?: number;
  /**
   * How long a received message is hidden from other receivers, which is also the delay before a failed message is received
   * again.
   */
  readonly visibilityTimeoutSeconds: number;
  /**
   * A message that was received this often and never deleted becomes a dead letter: it moves to a queue of its own. Absent
   * for a queue without dead letters, whose messages contain nothing that is not also stored elsewhere.
   */
  readonly maxReceiveCount?: number;
};

type OfNeighbour = {
  readonly neighbour: Neighbour;
  /** Whether the neighbour sends and the service receives, or the other way round. */
  readonly direction: 'in' | 'out';
  /** The neighbour puts its events on the event bus, and a rule sends them to the queue. */
  readonly isBehindBus?: true;
};

/** Only the service's own functions send and receive. */
type Within = { readonly direction: 'within'; readonly neighbour?: never; readonly isBehindBus?: never };

/** How long a queue, and the queue of its dead letters, keeps a message: the maximum of SQS. */
export const messageRetentionDays = 14;

/** How long the archives of the event buses keep the portal's events and the operators' notices, for replay. */
export const archivedDays = 90;

/**
 * How long an event can still arrive: one that is replayed at the end of its time in an archive can then stay for the whole
 * retention in a queue, and again in its dead-letter queue.
 */
export const lateDays = archivedDays + 2 * messageRetentionDays;

/**
 * A failed message is received again for as long as the queue keeps it, since receives count whatever the reason is: an
 * outage must not make dead letters. The consumer itself makes a refused message a dead letter at once. The last receives
 * are an hour apart; otherwise the highest count that SQS allows would be reached after eight hours.
 */
const untilItPasses = { visibilityTimeoutSeconds: 30, maxReceiveCount: 1000 } as const;

/**
 * Returns how long a failed message is hidden after this many receives, in seconds; undefined for the queue's own
 * visibility timeout.
 */
export const hiddenSecondsAfter = (receiveCount: number): number | undefined => (receiveCount > 600 ? 3600 : undefined);

/**
 * How long a message waits, each time, for its gateway or version: a report can arrive before the description of its
 * gateway. The message waits this many times in total, whatever other failures it meets.
 */
export const waitSeconds = [5, 10, 20, 40, 80, 160, 320] as const;

/** One row per queue. A queue takes events from only one neighbour, so that a neighbour cannot send another one's decisions. */
export const queues = {
  portalEvents: {
    summary: 'Decisions of owners in the portal: consent and installations',
    neighbour: 'portal',
    direction: 'in',
    kind: 'standard',
    isBehindBus: true,
    maxMessageBytes,
    ...untilItPasses,
  },
  gatewayReports: {
    summary: 'Reports of gateways and appliances',
    neighbour: 'gateway-backend',
    direction: 'in',
    kind: 'standard',
    maxMessageBytes,
    ...untilItPasses,
  },
  requestedChanges: {
    summary: 'Changes that partners request of appliances, in order for each gateway',
    neighbour: 'gateway-backend',
    direction: 'out',
    kind: 'fifo',
    visibilityTimeoutSeconds: 30,
    maxReceiveCount: 10,
  },
  webhookMessages: {
    summary: 'Webhooks with an outstanding message',
    direction: 'within',
    kind: 'standard',
    // The sweeper queues unsent messages again: an entry of this queue only makes them faster.
    visibilityTimeoutSeconds: 120,
  },
} as const satisfies Record<string, Queue>;

export type QueueName = keyof typeof queues;

export const queueNames = /* @__PURE__ */ Object.keys(queues) as QueueName[];

/** A queue that has dead letters. */
export type QueueWithDeadLetters = {
  [Name in QueueName]: (typeof queues)[Name] extends { readonly maxReceiveCount: number } ? Name : never;
}[QueueName];

export const queuesWithDeadLetters = /* @__PURE__ */ queueNames.filter(
  (name): name is QueueWithDeadLetters => 'maxReceiveCount' in queues[name],
);

/** A queue that the service receives a neighbour's events from. */
export type InboundQueueName = {
  [Name in QueueName]: (typeof queues)[Name]['direction'] extends 'in' ? Name : never;
}[QueueName];

/** A queue that one of the service's functions receives from. */
export type ReceivedQueueName = {
  [Name in QueueName]: (typeof queues)[Name]['direction'] extends 'in' | 'within' ? Name : never;
}[QueueName];

/** An IAM action on a queue, without its `sqs:` prefix. */
export type QueueAction = 'SendMessage' | 'ChangeMessageVisibility' | 'GetQueueAttributes';

export type QueueActions = Readonly<Partial<Record<QueueName, readonly QueueAction[]>>>;

/** An event bus of the stack, on which functions put events and operators attach rules. */
export type Bus = { readonly summary: string };

/** One row per bus. The stack creates it, and a function that names it may put events on it. */
export const buses = {
  notices: { summary: 'Notifies operators of expiring keys and disabled webhooks' },
} as const satisfies Record<string, Bus>;

export type BusName = keyof typeof buses;

/** The source of every event that a function of the service puts on a bus. */
export const eventSource = 'partner-api';
