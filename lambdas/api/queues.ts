import { maxMessageBytes } from './limits.ts';

/** The maker's other systems, by the name that their events give as `source`. */
export const neighbours = ['portal', 'gateway-backend'] as const;
export type Neighbour = (typeof neighbours)[number];

/** A queue of SQS between the service and one of the maker's other systems, or within the service. */
export type Queue = (OfNeighbour | Within) & {
  readonly summary: string;
  /** A FIFO queue keeps the order of the messages of one group. */
  readonly kind: 'standard' | 'fifo';
  /** SQS refuses a longer message to its sender. */
  readonly maxMessageBytes?: number;
  /** How long a received message is hidden from other receivers, and so when one that failed comes again. */
  readonly visibilityTimeoutSeconds: number;
  /**
   * A message that was received so often, and never deleted, becomes a dead letter: it goes to a queue of its own. A queue
   * without has no dead letters: a message says nothing that stands nowhere else.
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

/** The service's own functions send and receive, and nobody else. */
type Within = { readonly direction: 'within'; readonly neighbour?: never; readonly isBehindBus?: never };

/** How long a queue, and the queue of its dead letters, keeps a message: the longest time that SQS knows. */
export const messageRetentionDays = 14;

/** How long the events of the portal, and what operators are told, can be replayed: the archives of the buses keep them. */
export const archivedDays = 90;

/**
 * What failed comes again for as long as the queue keeps it, since receives count whatever the reason was: an outage makes
 * no dead letters. What is refused becomes one at once, by its consumer. The last receives are an hour apart, or the most
 * that SQS counts would be over after eight hours.
 */
const untilItPasses = { visibilityTimeoutSeconds: 30, maxReceiveCount: 1000 } as const;

/** How long a message that failed is hidden after so many receives; undefined for the time that its queue has for it. */
export const hiddenSecondsAfter = (receiveCount: number): number | undefined => (receiveCount > 600 ? 3600 : undefined);

/**
 * How long a message waits, each time, for what it is about: a report may overtake the description of its gateway. So often in
 * all, whatever else keeps it from being taken.
 */
export const waitSeconds = [5, 10, 20, 40, 80, 160, 320] as const;

/** One row per queue. A queue takes the events of one neighbour only, so that none can send what another one decides. */
export const queues = {
  portalEvents: {
    summary: 'What owners decide in the portal: consent and installations',
    neighbour: 'portal',
    direction: 'in',
    kind: 'standard',
    isBehindBus: true,
    maxMessageBytes,
    ...untilItPasses,
  },
  gatewayReports: {
    summary: 'What gateways and appliances report',
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
  pokes: {
    summary: 'Webhooks that are owed a message',
    direction: 'within',
    kind: 'standard',
    // The sweeper of pokes queues again what was not sent: a message only makes it sooner.
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

/** One row per bus; the stack makes it, and a function that names it may put events on it. */
export const buses = {
  notices: { summary: 'Tells operators which keys expire soon, and which webhooks were switched off' },
} as const satisfies Record<string, Bus>;

export type BusName = keyof typeof buses;

/** The source of every event that a function of the service puts on a bus. */
export const eventSource = 'partner-api';
