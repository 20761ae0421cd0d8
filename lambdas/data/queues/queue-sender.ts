import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { queueVariable } from '../../api/environment.ts';
import type { QueueName } from '../../api/queues.ts';
import { maxAttempts, type RequestTimeouts } from '../store/store.ts';

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
};

/** Resolves when the queue has the message. Throws what the SDK throws if the queue does not take it. */
export type SendToQueue<Message = FifoMessage> = (queue: QueueName, message: Message) => Promise<void>;

/** Sends to the queues whose addresses stand in those variables. */
export const createQueueSender = (
  variables: Readonly<Record<string, string | undefined>>,
  timeouts: RequestTimeouts,
): SendToQueue<FifoMessage | StandardMessage> => {
  const client = new SQSClient({ maxAttempts, requestHandler: { ...timeouts, throwOnRequestTimeout: true } });
  return (queue, message) => sendMessage(client, variables[queueVariable(queue)], message);
};

/** Resolves when the queue has the message. */
export const sendMessage = async (
  client: SQSClient,
  queueUrl: string | undefined,
  message: FifoMessage | StandardMessage,
): Promise<void> => {
  const { body } = message;
  const others =
    'groupId' in message
      ? { MessageGroupId: message.groupId, MessageDeduplicationId: message.deduplicationId }
      : { DelaySeconds: message.delaySeconds };
  await client.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: escaped(body), ...others }));
};

/**
 * The same JSON without a character that SQS refuses: a text that we have stored must not hold up those behind it. What it
 * takes: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
 */
const escaped = (json: string): string =>
  json.replace(
    /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
