import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import {
  ChangeMessageVisibilityCommand,
  GetQueueAttributesCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { busVariable, queueVariable, requireVariable, type TargetQueue } from '../api/environment.ts';
import { type BusName, eventSource, type QueueName } from '../api/queues.ts';
import { maxAttempts, type RequestTimeouts } from '../data/store/store.ts';

/** A message of a FIFO queue. Messages of a group are received in the order in which they were sent. */
export type FifoMessage = {
  /** A text of JSON. */
  readonly body: string;
  readonly groupId: string;
  /** The queue delivers only the first of several messages with the same id within five minutes. */
  readonly deduplicationId: string;
};

/** A message of a standard queue. */
export type StandardMessage = {
  /** A text of JSON. */
  readonly body: string;
  /** How long no receiver gets the message, 15 minutes at most. */
  readonly delaySeconds?: number;
  /** Attributes of the message, by name. */
  readonly attributes?: Readonly<Record<string, string>>;
  /** A standard queue keeps a group that sends too much from delaying the others. */
  readonly groupId?: string | undefined;
};

type Variables = Readonly<Record<string, string | undefined>>;

/** Resolves when the queue has accepted the message. Throws the SDK's errors. */
export type SendToQueue<Message = FifoMessage> = (queue: TargetQueue, message: Message) => Promise<void>;

/** Returns a sender for the queues whose URLs are in the variables. */
export const createQueueSender = (
  variables: Variables,
  timeouts: RequestTimeouts,
): SendToQueue<FifoMessage | StandardMessage> => {
  const client = new SQSClient({ maxAttempts, requestHandler: { ...timeouts, throwOnRequestTimeout: true } });
  return (queue, message) =>
    sendMessage(client, requireVariable(variables, queueVariable(queue), 'names the queue'), message);
};

/** Resolves when the queue has accepted the message. */
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

/** Returns the approximate number of messages in a queue that can be received now. Throws the SDK's errors. */
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

/** Hides a received message from all receivers for this number of seconds. Throws the SDK's errors. */
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
 * Escapes the characters that SQS rejects, in a text that is mostly JSON: a stored text with such a character must not block
 * the messages behind it. SQS accepts:
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
 */
const escaped = (json: string): string =>
  json.replace(
    /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** An event as rules see it, besides its source. */
export type BusEvent = { readonly detailType: string; readonly detail: object };

/**
 * Resolves when the bus has accepted all of the events. Throws the SDK's errors if the call fails, and an error that quotes
 * EventBridge if the bus rejects an event; it may have accepted others then.
 */
export type PutOnBus = (bus: BusName, events: readonly BusEvent[]) => Promise<void>;

/** The maximum number of events in a call of EventBridge. */
const maxEntries = 10;

/** Returns a sender for the buses whose names are in the variables. */
export const createBusSender = (variables: Variables, timeouts: RequestTimeouts): PutOnBus => {
  const client = new EventBridgeClient({ maxAttempts, requestHandler: { ...timeouts, throwOnRequestTimeout: true } });
  return async (bus, events) => {
    // Without a name, EventBridge would put the events on the default bus of the account.
    const busName = requireVariable(variables, busVariable(bus), 'names the bus in buses');
    for (let first = 0; first < events.length; first += maxEntries)
      await putEvents(client, busName, events.slice(first, first + maxEntries));
  };
};

/** EventBridge's error for one event, under the error code of EventBridge, as if the whole call had failed with it. */
class BusError extends Error {
  override readonly name: string;
  readonly $metadata = {};

  constructor(name = 'InternalFailure', message = '') {
    super(message);
    this.name = name;
  }
}

/** Puts at most ten events on a bus. Throws as `PutOnBus` does. */
export const putEvents = async (
  client: EventBridgeClient,
  busName: string,
  events: readonly BusEvent[],
  source: string = eventSource,
): Promise<void> => {
  const entries = events.map(({ detailType, detail }) => ({
    EventBusName: busName,
    Source: source,
    DetailType: detailType,
    Detail: JSON.stringify(detail),
  }));
  const { Entries = [] } = await client.send(new PutEventsCommand({ Entries: entries }));
  const refused = Entries.find(({ ErrorCode }) => ErrorCode !== undefined);
  if (refused)
    throw new BusError(
      refused.ErrorCode,
      `The bus ${busName} has not accepted all events: ${refused.ErrorCode}, ${refused.ErrorMessage}.`,
    );
};
