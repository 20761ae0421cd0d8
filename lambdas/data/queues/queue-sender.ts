import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { queueVariable } from '../../api/environment-variables.ts';
import type { QueueName } from '../../api/queues.ts';
import { maxAttempts, type RequestTimeouts } from '../store/store.ts';

/** A message of a FIFO queue. Those of a group are received in the order in which they were sent. */
export type FifoMessage = {
  readonly body: string;
  readonly groupId: string;
  /** Of messages with the same id within five minutes, the queue delivers the first. */
  readonly deduplicationId: string;
};

/** Resolves when the queue has the message. Throws what the SDK throws if the queue does not take it. */
export type SendToQueue = (queue: QueueName, message: FifoMessage) => Promise<void>;

/** Sends to the queues whose addresses stand in those variables. */
export const createQueueSender = (
  variables: Readonly<Record<string, string | undefined>>,
  timeouts: RequestTimeouts,
): SendToQueue => {
  const client = new SQSClient({ maxAttempts, requestHandler: { ...timeouts, throwOnRequestTimeout: true } });
  return (queue, message) => sendFifoMessage(client, variables[queueVariable(queue)], message);
};

/** Resolves when the queue has the message. */
export const sendFifoMessage = async (
  client: SQSClient,
  queueUrl: string | undefined,
  { body, groupId, deduplicationId }: FifoMessage,
): Promise<void> => {
  const command = new SendMessageCommand({
    QueueUrl: queueUrl,
    MessageBody: body,
    MessageGroupId: groupId,
    MessageDeduplicationId: deduplicationId,
  });
  await client.send(command);
};
