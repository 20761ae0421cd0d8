import { type EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { ConsumerName, FailureQueueName } from '../../lambdas/api/background-functions.ts';
import {
  type Neighbour,
  type QueueName,
  type QueueWithDeadLetters,
  queueNames,
  queuesWithDeadLetters,
} from '../../lambdas/api/queues.ts';
import { OperatorError } from '../error.ts';

/** What waits, in seconds: the oldest message of each queue, and of the records that the relay has still to read. */
export type Lags = { readonly oldest: Readonly<Record<QueueName, number | null>>; readonly relay: number | null };

/** An event as the portal puts it on its bus. */
export type PortalEvent = { readonly type: string; readonly text: string };

/** Whether principals of a neighbour are let in by the policy of what they reach the stage by. */
export type NeighbourAccess = { readonly neighbour: Neighbour; readonly to: string; readonly isAllowed: boolean };

/** The way to what joins a stage to the maker's other systems. */
export type Integrations = {
  readonly sqs: SQSClient;
  /** The URL of a queue. Throws if the stage has no such queue. */
  readonly urlOf: (queue: StageQueue) => string;
  readonly putPortalEvent: (event: PortalEvent) => Promise<void>;
  /** Absent, as what follows, from a local run, which has none to ask. */
  readonly readLags?: () => Promise<Lags>;
  /** The state of what brings each consumer its messages: `Enabled`, or another word of Lambda. */
  readonly readMappings?: () => Promise<readonly { readonly consumer: ConsumerName; readonly state: string }[]>;
  readonly readNeighbourAccess?: () => Promise<readonly NeighbourAccess[]>;
  readonly close: () => void;
};

type Addresses = {
  readonly sqs: SQSClient;
  readonly events: EventBridgeClient;
  /** By the names that the stack's resources have. */
  readonly queueUrls: Readonly<Record<string, string | undefined>>;
  readonly portalBus: string | undefined;
};

export const integrationsOf = ({ sqs, events, queueUrls, portalBus }: Addresses): Integrations => ({
  sqs,
  urlOf: (queue) => queueUrls[logicalNameOf(queue)] ?? throwMissing(`queue ${queue}`),
  putPortalEvent: async ({ type, text }) => {
    const EventBusName = portalBus ?? throwMissing('bus of the portal');
    const { Entries: [result] = [] } = await events.send(
      new PutEventsCommand({ Entries: [{ EventBusName, Source: 'portal', DetailType: type, Detail: text }] }),
    );
    if (result?.ErrorCode !== undefined)
      throw new OperatorError('error', `The bus does not take the event: ${result.ErrorCode}: ${result.ErrorMessage}`);
  },
  close: () => {
    sqs.destroy();
    events.destroy();
  },
});

const throwMissing = (what: string): never => {
  throw new OperatorError(
    'error',
    `The stage has no ${what}. It was deployed from another version: deploy this one, or use the operator CLI of that one.`,
  );
};

/** Each queue of a stage: those of the rows, each with its dead letters, and those that keep what was not handed on. */
export type StageQueue = QueueName | DeadLetterQueue;

export type DeadLetterQueue = `${QueueWithDeadLetters}/deadLetters` | 'undelivered' | FailureQueueName;

/** The names that the stack's resources have for them, which are their logical ids without the hash. */
const logicalNames: Readonly<Record<StageQueue, string>> = {
  ...(Object.fromEntries([
    ...queueNames.map((name) => [name, `IntegrationsQueues${name}Queue`]),
    ...queuesWithDeadLetters.map((name) => [`${name}/deadLetters`, `IntegrationsQueues${name}DeadLetters`]),
  ]) as Record<QueueName | `${QueueWithDeadLetters}/deadLetters`, string>),
  undelivered: 'IntegrationsPortalUndelivered',
  relayFailures: 'IntegrationsConsumersrelayFailures',
  feedFailures: 'IntegrationsConsumersfeedFailures',
};

export const logicalNameOf = (queue: StageQueue): string => logicalNames[queue];

export const portalBusLogicalName = 'IntegrationsPortalBus';

export const stageQueues = Object.keys(logicalNames) as StageQueue[];

/** How many messages a queue has, about: SQS counts them on several servers. */
export type Depth = {
  /** Messages that can be received. */
  readonly waiting: number;
  /** Sent to be received later: it waits for what it tells of, which may come after it. */
  readonly delayed: number;
  /** Received, and not deleted yet. */
  readonly inFlight: number;
};

export const readDepth = async ({ sqs, urlOf }: Integrations, queue: StageQueue): Promise<Depth> => {
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({
      QueueUrl: urlOf(queue),
      AttributeNames: [
        'ApproximateNumberOfMessages',
        'ApproximateNumberOfMessagesDelayed',
        'ApproximateNumberOfMessagesNotVisible',
      ],
    }),
  );
  return {
    waiting: Number(Attributes.ApproximateNumberOfMessages),
    delayed: Number(Attributes.ApproximateNumberOfMessagesDelayed),
    inFlight: Number(Attributes.ApproximateNumberOfMessagesNotVisible),
  };
};
