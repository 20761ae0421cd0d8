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

/** Ages in seconds: of the oldest message of each queue, and of the record that the relay is reading. */
export type Lags = { readonly oldest: Readonly<Record<QueueName, number | null>>; readonly relay: number | null };

/** An event that the portal puts on its bus. */
type PortalEvent = { readonly type: string; readonly text: string };

/** Whether the policy of a queue or bus allows the principals of a neighbour. */
export type NeighbourAccess = { readonly neighbour: Neighbour; readonly to: string; readonly isAllowed: boolean };

/** The event source mapping of a consumer. */
export type Mapping = {
  readonly consumer: ConsumerName;
  readonly state: string;
  /** The queue or the stream that it reads. */
  readonly sourceArn: string | undefined;
  /** What Lambda says about the last records of a stream: `OK`, or `PROBLEM: ` and the reason. */
  readonly lastResult: string | undefined;
};

/** Access to the queues and the bus that connect a stage to the maker's other systems. */
export type Integrations = {
  readonly sqs: SQSClient;
  /** The URL of a queue. Throws if the stage has no such queue. */
  readonly urlOf: (queue: StageQueue) => string;
  readonly putPortalEvent: (event: PortalEvent) => Promise<void>;
  /** The URL of the queue of a sandbox's controls. Throws if the stage is no sandbox. */
  readonly urlOfControls: () => string;
  /** Absent from a local run, as are `readMappings` and `readNeighbourAccess`. */
  readonly readLags?: () => Promise<Lags>;
  /** Resolves to the state of each consumer's event source mapping, such as `Enabled`, as Lambda names it. */
  readonly readMappings?: () => Promise<readonly Mapping[]>;
  readonly readNeighbourAccess?: () => Promise<readonly NeighbourAccess[]>;
  readonly close: () => void;
};

type Addresses = {
  readonly sqs: SQSClient;
  readonly events: EventBridgeClient;
  /** The URLs by the logical names of the stack's queues. */
  readonly queueUrls: Readonly<Record<string, string | undefined>>;
  readonly portalBus: string | undefined;
};

export const integrationsOf = ({ sqs, events, queueUrls, portalBus }: Addresses): Integrations => ({
  sqs,
  urlOf: (queue) => queueUrls[logicalNames[queue]] ?? throwMissing(`queue ${queue}`),
  putPortalEvent: async ({ type, text }) => {
    const EventBusName = portalBus ?? throwMissing('bus of the portal');
    const { Entries: [result] = [] } = await events.send(
      new PutEventsCommand({ Entries: [{ EventBusName, Source: 'portal', DetailType: type, Detail: text }] }),
    );
    if (result?.ErrorCode !== undefined)
      throw new OperatorError('error', `The bus rejected the event: ${result.ErrorCode}: ${result.ErrorMessage}`);
  },
  urlOfControls: () => queueUrls[controlsLogicalName] ?? throwNoSandbox(),
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

const throwNoSandbox = (): never => {
  throw new OperatorError(
    'refused',
    'The stage is no sandbox, so it has no simulated homes. Name a stage whose configuration has "simulatedHomes" (docs/sandbox.md). The demo world of npm start has the same controls: npm run demo -- --help.',
  );
};

/** All queues of a stage: the listed ones, their dead-letter queues, and those for undelivered events and failed records. */
export type StageQueue = QueueName | DeadLetterQueue;

export type DeadLetterQueue = `${QueueWithDeadLetters}/deadLetters` | 'undelivered' | FailureQueueName;

/** The logical names of the queues in the stack: their logical ids without the hash. */
export const logicalNames: Readonly<Record<StageQueue, string>> = {
  ...(Object.fromEntries([
    ...queueNames.map((name) => [name, `IntegrationsQueues${name}Queue`]),
    ...queuesWithDeadLetters.map((name) => [`${name}/deadLetters`, `IntegrationsQueues${name}DeadLetters`]),
  ]) as Record<QueueName | `${QueueWithDeadLetters}/deadLetters`, string>),
  undelivered: 'IntegrationsPortalUndelivered',
  relayFailures: 'IntegrationsConsumersrelayFailures',
  feedFailures: 'IntegrationsConsumersfeedFailures',
};

export const portalBusLogicalName = 'IntegrationsPortalBus';

/** The logical name of the queue of controls, which only a sandbox has. */
const controlsLogicalName = 'SandboxControls';

/** The approximate number of messages in a queue: SQS counts them on several servers. */
type Depth = {
  /** Messages that can be received. */
  readonly waiting: number;
  /** Messages whose delivery is delayed, because the item that they concern may arrive after them. */
  readonly delayed: number;
  /** Messages that are received but not deleted yet. */
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
