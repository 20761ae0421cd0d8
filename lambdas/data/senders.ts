import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import {
  ChangeMessageVisibilityCommand,
  GetQueueAttributesCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { busVariable, queueVariable, requireVariable, type TargetQueue } from '../api/environment.ts';
import { type BusName, eventSource, type QueueName } from '../api/queues.ts';
import { maxAttempts, type RequestTimeouts } from './store/store.ts';

/** A message of a FIFO queue. Those of a group are received in the order in which they were sent. */
export type FifoMessage = {
  /** A text of JSON. */
  readonly body: string;
  readonly groupId: string;
  /** Of messages with the same id within five minutes, the queue delivers the first. */
  readonly deduplicationId: string;
};

/** A message of a standard queue. */
export type StandardMessage = {
  /** A text of JSON. */
  readonly body: string;
  /** How long nobody receives it, 15 minutes at most. */
  readonly delaySeconds?: number;
  /** Texts beside the body, by name. */
  readonly attributes?: Readonly<Record<string, string>>;
  /** Of a standard queue, no group that sends too much holds up the others. */
  readonly groupId?: string | undefined;
};

type Variables = Readonly<Record<string, string | undefined>>;

/** Resolves when the queue has the message. Throws what the SDK throws if the queue does not take it. */
export type SendToQueue<Message = FifoMessage> = (queue: TargetQueue, message: Message) => Promise<void>;

/** Sends to the queues whose addresses stand in those variables. */
export const createQueueSender = (
  variables: Variables,
  timeouts: RequestTimeouts,
): SendToQueue<FifoMessage | StandardMessage> => {
  const client = new SQSClient({ maxAttempts, requestHandler: { ...timeouts, throwOnRequestTimeout: true } });
  return (queue, message) =>
    sendMessage(client, requireVariable(variables, queueVariable(queue), 'names the queue'), message);
};

/** Resolves when the queue has the message. */
export const sendMessage = async (
  client: SQSClient,
  queueUrl: string,
  message: FifoMessage | StandardMessage,
): Promise<void> => {
  const { body, groupId: MessageGroupId } = message;
  const others =
    'deduplicationId' in message
      ? { MessageDeduplicationId: message.deduplicationId }
      : { DelaySeconds: message.delaySeconds, MessageAttributes: textAttributes(message.attributes) };
  await client.send(
    new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: escaped(body), MessageGroupId, ...others }),
  );
};

/** About how many messages of a queue can be received now. Throws what the SDK throws. */
export type CountWaiting = (queue: QueueName) => Promise<number>;

export const createQueueCounter = (variables: Variables, timeouts: RequestTimeouts): CountWaiting => {
  const client = new SQSClient({ maxAttempts, requestHandler: { ...timeouts, throwOnRequestTimeout: true } });
  return async (queue) => {
    const QueueUrl = requireVariable(variables, queueVariable(queue), 'names the queue');
    const AttributeNames = ['ApproximateNumberOfMessages'] as const;
    const { Attributes } = await client.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...AttributeNames] }),
    );
    return Number(Attributes?.ApproximateNumberOfMessages ?? 0);
  };
};

/** Hides a received message from all receivers for so long. Throws what the SDK throws. */
export type HideMessage = (queue: QueueName, receiptHandle: string, seconds: number) => Promise<void>;

export const createMessageHider = (variables: Variables, timeouts: RequestTimeouts): HideMessage => {
  const client = new SQSClient({ maxAttempts, requestHandler: { ...timeouts, throwOnRequestTimeout: true } });
  return async (queue, ReceiptHandle, VisibilityTimeout) => {
    const QueueUrl = requireVariable(variables, queueVariable(queue), 'names the queue');
    await client.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout }));
  };
};

const textAttributes = (attributes: StandardMessage['attributes'] = {}) =>
  Object.fromEntries(
    Object.entries(attributes).map(([name, text]) => [name, { DataType: 'String', StringValue: escaped(text) }]),
  );

/**
 * The same text, which is JSON mostly, without a character that SQS refuses: a text that we have stored must not hold up those behind it. What it
 * takes: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
 */
const escaped = (json: string): string =>
  json.replace(
    /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** What rules see of an event beyond its source. */
export type BusEvent = { readonly detailType: string; readonly detail: object };

/**
 * Resolves when the bus has all of the events. Throws what the SDK throws if the bus does not answer, and an error that
 * quotes EventBridge if it refuses one of them; it may have taken others then.
 */
export type PutOnBus = (bus: BusName, events: readonly BusEvent[]) => Promise<void>;

/** EventBridge takes so many events at once. */
const maxEntries = 10;

/** Puts events on the buses whose names stand in those variables. */
export const createBusSender = (variables: Variables, timeouts: RequestTimeouts): PutOnBus => {
  const client = new EventBridgeClient({ maxAttempts, requestHandler: { ...timeouts, throwOnRequestTimeout: true } });
  return async (bus, events) => {
    // Without a name, EventBridge would put the events on the default bus of the account.
    const busName = requireVariable(variables, busVariable(bus), 'names the bus in buses');
    for (let first = 0; first < events.length; first += maxEntries)
      await putTogether(client, busName, events.slice(first, first + maxEntries));
  };
};

/** What EventBridge says of one event, under the name that it has for it: as if it had said so of the call. */
class BusError extends Error {
  override readonly name: string;
  readonly $metadata = {};

  constructor(name = 'InternalFailure', message = '') {
    super(message);
    this.name = name;
  }
}

const putTogether = async (client: EventBridgeClient, busName: string, events: readonly BusEvent[]): Promise<void> => {
  const entries = events.map(({ detailType, detail }) => ({
    EventBusName: busName,
    Source: eventSource,
    DetailType: detailType,
    Detail: JSON.stringify(detail),
  }));
  const { Entries = [] } = await client.send(new PutEventsCommand({ Entries: entries }));
  const refused = Entries.find(({ ErrorCode }) => ErrorCode !== undefined);
  if (refused)
    throw new BusError(
      refused.ErrorCode,
      `The bus ${busName} has not taken all events: ${refused.ErrorCode}, ${refused.ErrorMessage}.`,
    );
};
