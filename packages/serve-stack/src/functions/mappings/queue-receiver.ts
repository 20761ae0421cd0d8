import { setTimeout as wait } from 'node:timers/promises';
import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { QueueDefinition } from '../../sqs/queue-definitions.ts';

export type ConnectToQueue = () => Promise<SQSClient>;

type Pace = { readonly batchSize: number; readonly windowMs: number; readonly timesFaster: () => number };

export type QueueReceiver = {
  /** Resolves to a batch, or after a moment to none. */
  readonly receive: () => Promise<{ readonly messages: readonly Message[]; readonly receivedAtMs: number }>;
  readonly remove: (messages: readonly Message[]) => Promise<void>;
  /** Lets the messages be received again when the queue's visibility timeout has passed since they were received. */
  readonly release: (messages: readonly Message[], receivedAtMs: number) => Promise<void>;
};

/** SQS hands out and takes back no more at once. */
const maxPerCall = 10;
/** So long a call waits for a first message; whoever stops waits so long at most. */
const firstWaitSeconds = 1;
const gatherIntervalMs = 50;
/** The longest that there is: on AWS a function ends in time, and here it may take so much longer. */
const heldSeconds = 12 * 3600;

/** Gathers messages to batches as Lambda does: until one is full, or the window since its first message has passed. */
export const createQueueReceiver = (
  client: ConnectToQueue,
  { url: QueueUrl, visibilityTimeoutSeconds }: QueueDefinition,
  { batchSize, windowMs, timesFaster }: Pace,
): QueueReceiver => {
  const receiveSome = async (wanted: number, WaitTimeSeconds: number) => {
    const { Messages = [] } = await (await client()).send(
      new ReceiveMessageCommand({
        ...{ QueueUrl, WaitTimeSeconds },
        MaxNumberOfMessages: Math.min(wanted, maxPerCall),
        VisibilityTimeout: heldSeconds,
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
      }),
    );
    return Messages;
  };

  return {
    receive: async () => {
      const messages = await receiveSome(batchSize, firstWaitSeconds);
      const receivedAtMs = Date.now();
      while (messages.length > 0 && messages.length < batchSize) {
        const more = await receiveSome(batchSize - messages.length, 0);
        messages.push(...more);
        const leftMs = receivedAtMs + windowMs - Date.now();
        if (leftMs <= 0) break;
        if (more.length === 0) await wait(Math.min(gatherIntervalMs, leftMs));
      }
      return { messages, receivedAtMs };
    },
    remove: async (messages) => {
      for (const Entries of inCalls(messages, entryOf))
        await (await client()).send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
    },
    release: async (messages, receivedAtMs) => {
      const passedSeconds = (Date.now() - receivedAtMs) / 1000;
      const VisibilityTimeout = Math.max(0, Math.ceil(visibilityTimeoutSeconds / timesFaster() - passedSeconds));
      for (const Entries of inCalls(messages, (message, index) => ({ ...entryOf(message, index), VisibilityTimeout })))
        await (await client()).send(new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries }));
    },
  };
};

const entryOf = ({ ReceiptHandle }: Message, index: number) => ({ Id: String(index), ReceiptHandle });

const inCalls = <Entry>(messages: readonly Message[], toEntry: (message: Message, index: number) => Entry): Entry[][] =>
  Array.from({ length: Math.ceil(messages.length / maxPerCall) }, (_, call) =>
    messages.slice(call * maxPerCall, (call + 1) * maxPerCall).map(toEntry),
  );
