import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import {
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  type ListMessageMoveTasksResultEntry,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { UserFacingError } from '../errors.ts';
import type { PolicyRequest } from '../iam/policies.ts';
import type { QueueDefinition } from './queue-definitions.ts';

/** The operations on tasks with which SQS moves the messages of a dead-letter queue. The engine does not support them. */
const moveOperations = ['StartMessageMoveTask', 'ListMessageMoveTasks', 'CancelMessageMoveTask'] as const;
type MoveOperation = (typeof moveOperations)[number];

export const isMoveOperation = (operation: string): operation is MoveOperation =>
  (moveOperations as readonly string[]).includes(operation);

/** The bodies of the requests. */
type MoveRequest = {
  readonly SourceArn?: string;
  readonly DestinationArn?: string;
  readonly MaxNumberOfMessagesPerSecond?: number;
  readonly MaxResults?: number;
  readonly TaskHandle?: string;
};

/** SQS's refusal of such a request. */
export class MoveRefusal extends Error {
  readonly status: 400 | 404;
  readonly code: string;

  constructor(status: 400 | 404, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/**
 * The actions that each operation requires on the source queue. Starting and cancelling require the actions that the task
 * performs on behalf of the caller; listing requires fewer.
 */
const sourceActions: Readonly<Record<MoveOperation, readonly string[]>> = {
  StartMessageMoveTask: ['startmessagemovetask', 'receivemessage', 'deletemessage', 'getqueueattributes'],
  CancelMessageMoveTask: ['cancelmessagemovetask', 'receivemessage', 'deletemessage', 'getqueueattributes'],
  ListMessageMoveTasks: ['listmessagemovetasks', 'getqueueattributes'],
};

/** Returns all permissions that a request requires. */
export const moveAccessesOf = (
  operation: MoveOperation,
  request: MoveRequest,
): Pick<PolicyRequest, 'action' | 'resource'>[] => {
  const source =
    (operation === 'CancelMessageMoveTask' ? idsIn(request.TaskHandle).sourceArn : request.SourceArn) ?? '';
  const accesses = sourceActions[operation].map((action) => ({ action: `sqs:${action}`, resource: source }));
  if (operation !== 'StartMessageMoveTask') return accesses;
  return [...accesses, { action: 'sqs:sendmessage', resource: destinationOf(request) }];
};

const destinationOf = ({ DestinationArn }: MoveRequest): string => {
  if (DestinationArn !== undefined) return DestinationArn;
  throw new UserFacingError(
    'The local run does not know StartMessageMoveTask without DestinationArn: it keeps no record of where a dead letter came from.',
  );
};

/** A task's handle contains the ARN of the task's queue. */
type TaskIds = { readonly taskId: string; readonly sourceArn: string };

const handleOf = (ids: TaskIds): string => Buffer.from(JSON.stringify(ids)).toString('base64');

const idsIn = (handle = ''): TaskIds => {
  try {
    const { taskId, sourceArn } = JSON.parse(Buffer.from(handle, 'base64').toString());
    return { taskId, sourceArn };
  } catch {
    throw invalid('Value for parameter TaskHandle is invalid.');
  }
};

const invalid = (message: string) => new MoveRefusal(400, 'InvalidParameterValue', message);

const missing = (message: string) => new MoveRefusal(404, 'ResourceNotFoundException', message);

type Task = TaskIds & {
  readonly destinationArn: string;
  readonly maxPerSecond: number | undefined;
  readonly startedAtMs: number;
  readonly toMove: number;
  moved: number;
  status: 'RUNNING' | 'COMPLETED' | 'CANCELLING' | 'CANCELLED' | 'FAILED';
  failureReason?: string;
  /** Resolves when the task has ended. */
  ending?: Promise<void>;
};

const isActive = ({ status }: Task): boolean => status === 'RUNNING' || status === 'CANCELLING';

type Options = {
  readonly definitions: () => readonly QueueDefinition[];
  /** Returns a client to which no policy applies. */
  readonly client: () => Promise<SQSClient>;
};

/** Runs move tasks as SQS does, and reports their progress. */
export const createMoveTasks = ({ definitions, client }: Options) => {
  /** Newest first. */
  const tasks: Task[] = [];

  const queueOf = (arn: string | undefined, parameter: 'SourceArn' | 'DestinationArn'): QueueDefinition => {
    const queue = definitions().find((each) => each.arn === arn);
    if (queue) return queue;
    throw missing(`The resource that you specified for the ${parameter} parameter doesn't exist.`);
  };

  const start = async (request: MoveRequest) => {
    const source = queueOf(request.SourceArn, 'SourceArn');
    const destination = queueOf(destinationOf(request), 'DestinationArn');
    const maxPerSecond = request.MaxNumberOfMessagesPerSecond;
    if (!definitions().some((queue) => deadLetterArnOf(queue) === source.arn))
      throw invalid('Source queue must be configured as a Dead Letter Queue.');
    if (source.attributes.FifoQueue !== destination.attributes.FifoQueue)
      throw invalid('The source queue and destination queue must be of the same queue type.');
    if (maxPerSecond !== undefined && !(maxPerSecond >= 1 && maxPerSecond <= 500))
      throw invalid('Value for parameter MaxNumberOfMessagesPerSecond is invalid. Reason: Must be between 1 and 500.');
    const toMove = await countIn(await client(), source);
    if (tasks.some((task) => task.sourceArn === source.arn && isActive(task)))
      throw invalid(
        'There is already a task running. Only one active task is allowed for a source queue arn at a given time.',
      );
    const task: Task = {
      taskId: randomUUID(),
      sourceArn: source.arn,
      destinationArn: destination.arn,
      maxPerSecond,
      startedAtMs: Date.now(),
      toMove,
      moved: 0,
      status: 'RUNNING',
    };
    tasks.unshift(task);
    task.ending = carryOut(task, await client(), source, destination);
    return { TaskHandle: handleOf(task) };
  };

  const list = ({ SourceArn, MaxResults = 1 }: MoveRequest) => {
    const { arn } = queueOf(SourceArn, 'SourceArn');
    return {
      Results: tasks
        .filter((task) => task.sourceArn === arn)
        .slice(0, Math.min(MaxResults, 10))
        .map(entryOf),
    };
  };

  const cancel = ({ TaskHandle }: MoveRequest) => {
    const { taskId, sourceArn } = idsIn(TaskHandle);
    queueOf(sourceArn, 'SourceArn');
    const task = tasks.find((each) => each.taskId === taskId);
    if (!task) throw missing('Task does not exist.');
    if (task.status !== 'RUNNING')
      throw new MoveRefusal(400, 'UnsupportedOperation', 'Only active tasks can be cancelled.');
    task.status = 'CANCELLING';
    return { ApproximateNumberOfMessagesMoved: task.moved };
  };

  return {
    /** Answers a request as SQS would. Throws a {@link MoveRefusal} if SQS would refuse it. */
    answer: async (operation: MoveOperation, request: MoveRequest): Promise<object> =>
      ({ StartMessageMoveTask: start, ListMessageMoveTasks: list, CancelMessageMoveTask: cancel })[operation](request),
    /** Cancels all running tasks, and resolves when they have ended. */
    stop: async () => {
      for (const task of tasks) if (task.status === 'RUNNING') task.status = 'CANCELLING';
      await Promise.all(tasks.map(({ ending }) => ending));
    },
  };
};

/** Only a running task shows its handle. */
const entryOf = (task: Task): ListMessageMoveTasksResultEntry => ({
  ...(task.status === 'RUNNING' && { TaskHandle: handleOf(task) }),
  Status: task.status,
  SourceArn: task.sourceArn,
  DestinationArn: task.destinationArn,
  ...(task.maxPerSecond !== undefined && { MaxNumberOfMessagesPerSecond: task.maxPerSecond }),
  ApproximateNumberOfMessagesMoved: task.moved,
  ApproximateNumberOfMessagesToMove: task.toMove,
  ...(task.failureReason !== undefined && { FailureReason: task.failureReason }),
  StartedTimestamp: task.startedAtMs,
});

const deadLetterArnOf = ({ attributes: { RedrivePolicy = '{}' } }: QueueDefinition): string | undefined =>
  JSON.parse(RedrivePolicy).deadLetterTargetArn;

const countIn = async (client: SQSClient, { url }: QueueDefinition): Promise<number> => {
  const name = 'ApproximateNumberOfMessages';
  const { Attributes } = await client.send(new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: [name] }));
  return Number(Attributes?.[name]);
};

/** The most messages that SQS returns or deletes in one call. */
const maxPerCall = 10;

/** Moves messages until the queue is empty, including messages that arrive meanwhile, even if they were moved before. */
const carryOut = async (task: Task, client: SQSClient, source: QueueDefinition, destination: QueueDefinition) => {
  try {
    while (task.status === 'RUNNING') {
      const { Messages = [] } = await client.send(
        new ReceiveMessageCommand({
          QueueUrl: source.url,
          MaxNumberOfMessages: Math.min(maxPerCall, task.maxPerSecond ?? maxPerCall),
          MessageSystemAttributeNames: ['All'],
          MessageAttributeNames: ['All'],
        }),
      );
      if (Messages.length === 0) break;
      // The engine never returns two messages of a group together, so each group keeps its order.
      await Promise.all(Messages.map((message) => client.send(sendingOf(message, destination))));
      const Entries = Messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
      await client.send(new DeleteMessageBatchCommand({ QueueUrl: source.url, Entries }));
      task.moved += Messages.length;
      if (task.maxPerSecond !== undefined) await wait((Messages.length / task.maxPerSecond) * 1000);
    }
    task.status = task.status === 'RUNNING' ? 'COMPLETED' : 'CANCELLED';
  } catch (error) {
    task.failureReason = (error as Error).name;
    task.status = 'FAILED';
  }
};

/**
 * Returns the command that sends a new message with the same content. In a FIFO queue it keeps its group, and the old message's
 * id is its deduplication id.
 */
const sendingOf = (
  { MessageId, Body, MessageAttributes, Attributes = {} }: Message,
  { url, attributes }: QueueDefinition,
) =>
  new SendMessageCommand({
    QueueUrl: url,
    MessageBody: Body,
    MessageAttributes,
    ...(Attributes.MessageGroupId !== undefined && { MessageGroupId: Attributes.MessageGroupId }),
    ...(attributes.FifoQueue === 'true' && { MessageDeduplicationId: MessageId }),
  });
