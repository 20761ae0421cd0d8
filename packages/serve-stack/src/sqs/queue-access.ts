import { UserFacingError } from '../errors/user-facing-error.ts';
import { arnOf, type Environment } from '../template/environment.ts';

/** The body of a request to SQS, as far as it names a queue. */
export type QueueRequest = { readonly QueueUrl?: string; readonly QueueName?: string } & Readonly<
  Record<string, unknown>
>;

/** The operations that clients of a deployed queue have use for, and what a batch of each is granted by. */
const actions: Readonly<Record<string, string>> = {
  ChangeMessageVisibility: 'changemessagevisibility',
  ChangeMessageVisibilityBatch: 'changemessagevisibility',
  DeleteMessage: 'deletemessage',
  DeleteMessageBatch: 'deletemessage',
  GetQueueAttributes: 'getqueueattributes',
  GetQueueUrl: 'getqueueurl',
  ListQueues: 'listqueues',
  PurgeQueue: 'purgequeue',
  ReceiveMessage: 'receivemessage',
  SendMessage: 'sendmessage',
  SendMessageBatch: 'sendmessage',
};

/** Tells what has to be granted for a request; SQS writes its actions in small letters. */
export const queueAccessOf = (environment: Environment, operation: string, { QueueUrl, QueueName }: QueueRequest) => {
  const action = actions[operation];
  if (action === undefined) throw new UserFacingError(`The local run does not know the operation ${operation} of SQS.`);
  // A request may hold both; the operation uses one.
  const name = operation === 'GetQueueUrl' ? QueueName : QueueUrl?.replace(/^.*\//, '');
  return { action: `sqs:${action}`, resource: arnOf(environment, 'sqs', name ?? '*') };
};
