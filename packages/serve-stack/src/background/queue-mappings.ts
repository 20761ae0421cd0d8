import { setTimeout as wait } from 'node:timers/promises';
import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  type Message,
  type MessageAttributeValue,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { UserFacingError } from '../errors.ts';
import { type Outcome, traceIdAt } from '../functions/function-process.ts';
import type { FunctionEmitter, FunctionPool } from '../functions/functions.ts';
import { principalInRole, requireGrants } from '../iam/principals.ts';
import { type QueueDefinition, queueAt } from '../services/queue-definitions.ts';
import type { Resolve } from '../template/intrinsics.ts';
import type { Stack } from '../template/stack.ts';
import { failedItems, type MappingDefinition, readMappings } from './mappings.ts';

/** Passes messages of a queue to a function. */
type QueueMapping = {
  readonly name: string;
  /** The number of concurrent batches. */
  readonly concurrency: number;
  /** Waits briefly for a batch, and resolves when the batch is processed. Throws if the function failed. */
  readonly poll: () => Promise<void>;
};

type Options = {
  readonly resolve: Resolve;
  readonly functions: ReadonlyMap<string, FunctionPool>;
  readonly queues: readonly QueueDefinition[];
  readonly client: ConnectToQueue;
  readonly events: FunctionEmitter;
  /** Factor by which a failed message can be received again sooner than on AWS. */
  readonly timesFaster: () => number;
};

/** A function has the same maximum of processes here. */
const maxConcurrency = 2;
const defaultBatchSize = 10;

/** Compiles the template's mappings from queues. Throws if the role of a function may not read its queue. */
export const compileQueueMappings = (stack: Stack, options: Options): QueueMapping[] => {
  const { resolve, functions, queues, client, events, timesFaster } = options;
  return readMappings(stack.template, resolve).fromQueues.map((mapping) => {
    const { name, sourceArn, invokedArn, target, properties } = mapping;
    const { BatchSize = defaultBatchSize, MaximumBatchingWindowInSeconds = 0, ScalingConfig = {} } = properties;
    const queue = queueAt(queues, sourceArn, `the mapping ${name}`);
    requireVisibility(mapping, queue);
    requireGrants(
      `The role of the function ${target.name}`,
      principalInRole(stack.template, resolve, target.roleArn, target.name),
      ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes'].map((action) => ({
        action: `sqs:${action}`,
        resource: sourceArn,
      })),
    );
    const windowMs = MaximumBatchingWindowInSeconds * 1000;
    const receiver = createQueueReceiver(client, queue, { batchSize: BatchSize, windowMs, timesFaster });
    const invoke = (event: object) =>
      functions.get(invokedArn)?.invoke(JSON.stringify(event), traceIdAt(Date.now())) as Promise<Outcome>;
    return {
      name,
      concurrency: Math.min(ScalingConfig.MaximumConcurrency ?? maxConcurrency, maxConcurrency),
      poll: () =>
        takeBatch(mapping, receiver, invoke, (received, deleted) =>
          events.emit('queueBatch', { queueName: queue.name, received, deleted }),
        ),
    };
  });
};

const takeBatch = async (
  { sourceArn, target, reportsFailures }: MappingDefinition,
  { receive, remove, release }: QueueReceiver,
  invoke: (event: object) => Promise<Outcome>,
  count: (received: number, deleted: number) => void,
) => {
  const { messages, receivedAtMs } = await receive();
  if (messages.length === 0) return;
  const outcome = await invoke(queueEvent(messages, sourceArn));
  const idOf = ({ MessageId = '' }) => MessageId;
  const failed = failedItems(outcome, messages.map(idOf), reportsFailures);
  await remove(messages.filter((message) => !failed.has(idOf(message))));
  await release(
    messages.filter((message) => failed.has(idOf(message))),
    receivedAtMs,
  );
  count(messages.length, messages.length - failed.size);
  if (outcome.kind === 'failure') throw new UserFacingError(`the function ${target.name} failed: ${outcome.reason}.`);
};

/** Throws, like Lambda, if a message could be received again while an invocation still processes it. */
const requireVisibility = ({ name, target }: MappingDefinition, queue: QueueDefinition) => {
  const timeoutSeconds = target.timeoutMs / 1000;
  if (queue.visibilityTimeoutSeconds >= timeoutSeconds) return;
  throw new UserFacingError(
    `Lambda refuses the mapping ${name}: Queue visibility timeout: ${queue.visibilityTimeoutSeconds} seconds is less than ` +
      `Function timeout: ${timeoutSeconds} seconds`,
  );
};

export type ConnectToQueue = () => Promise<SQSClient>;

type Pace = { readonly batchSize: number; readonly windowMs: number; readonly timesFaster: () => number };

type QueueReceiver = {
  /** Resolves to a batch, or to an empty one after a short wait. */
  readonly receive: () => Promise<{ readonly messages: readonly Message[]; readonly receivedAtMs: number }>;
  readonly remove: (messages: readonly Message[]) => Promise<void>;
  /** Makes the messages available again when the queue's visibility timeout has passed since they were received. */
  readonly release: (messages: readonly Message[], receivedAtMs: number) => Promise<void>;
};

/** The most messages that SQS returns or deletes in one call. */
const maxPerCall = 10;
/** The longest wait of a call for a first message, and so of a stop. */
const firstWaitSeconds = 1;
const gatherIntervalMs = 50;
/** The longest visibility timeout of SQS: on AWS a function ends in time, but here it may take that much longer. */
const heldSeconds = 12 * 3600;

/** Collects messages in batches as Lambda does: until a batch is full, or the window since its first message has passed. */
const createQueueReceiver = (
  client: ConnectToQueue,
  { url: QueueUrl, visibilityTimeoutSeconds }: QueueDefinition,
  { batchSize, windowMs, timesFaster }: Pace,
): QueueReceiver => {
  const receiveSome = async (wanted: number, WaitTimeSeconds: number) => {
    const { Messages = [] } = await (await client()).send(
      new ReceiveMessageCommand({
        QueueUrl,
        WaitTimeSeconds,
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

/** Returns the event with which Lambda passes messages of a queue to a function. */
const queueEvent = (messages: readonly Message[], queueArn: string) => ({
  Records: messages.map((message) => ({
    messageId: message.MessageId,
    receiptHandle: message.ReceiptHandle,
    body: message.Body,
    attributes: message.Attributes ?? {},
    messageAttributes: Object.fromEntries(
      Object.entries(message.MessageAttributes ?? {}).map(([name, value]) => [name, attribute(value)]),
    ),
    md5OfBody: message.MD5OfBody,
    ...(message.MD5OfMessageAttributes && { md5OfMessageAttributes: message.MD5OfMessageAttributes }),
    eventSource: 'aws:sqs',
    eventSourceARN: queueArn,
    awsRegion: queueArn.split(':')[3],
  })),
});

const attribute = ({ StringValue, BinaryValue, DataType }: MessageAttributeValue) => ({
  ...(StringValue !== undefined && { stringValue: StringValue }),
  ...(BinaryValue !== undefined && { binaryValue: Buffer.from(BinaryValue).toString('base64') }),
  stringListValues: [],
  binaryListValues: [],
  dataType: DataType,
});
