import { requireKnown, UserFacingError } from '../errors.ts';
import { compileResourcePolicy, type ResourcePolicy } from '../iam/access.ts';
import type { PolicyDocument } from '../iam/policies.ts';
import type { Resolve } from '../template/intrinsics.ts';
import { readResources } from '../template/known-template.ts';
import {
  arnOf,
  constructNamesOf,
  type Environment,
  resourcesOf,
  type Stack,
  type Template,
} from '../template/stack.ts';

/** A queue of the template. */
export type QueueDefinition = {
  /** The name in the source code of the stack. */
  readonly constructName: string;
  readonly name: string;
  readonly arn: string;
  readonly url: string;
  readonly visibilityTimeoutSeconds: number;
  /** The attributes in SQS's own format. */
  readonly attributes: Readonly<Record<string, string>>;
};

type RedrivePolicy = { readonly deadLetterTargetArn: string; readonly maxReceiveCount: number };

type QueueProperties = Readonly<Record<string, unknown>> & {
  readonly RedrivePolicy?: RedrivePolicy;
  readonly VisibilityTimeout?: number;
};

/** These have the same names and meanings in SQS. */
const attributeNames = [
  ...['ContentBasedDeduplication', 'DeduplicationScope', 'DelaySeconds', 'FifoQueue', 'FifoThroughputLimit'],
  ...['MaximumMessageSize', 'MessageRetentionPeriod', 'ReceiveMessageWaitTimeSeconds', 'RedriveAllowPolicy'],
  ...['RedrivePolicy', 'VisibilityTimeout'],
];

/** Queues here are not encrypted, since they are in the memory of this machine. */
const withoutLocalMeaning = ['KmsDataKeyReusePeriodSeconds', 'KmsMasterKeyId', 'SqsManagedSseEnabled', 'Tags'];

const defaultVisibilityTimeoutSeconds = 30;

/** Reads the template's queues. Throws an error that names any unknown property. */
export const readQueues = (template: Template, resolve: Resolve): QueueDefinition[] => {
  const constructNames = constructNamesOf(resourcesOf(template, 'AWS::SQS::Queue'));
  const known = ['QueueName', ...attributeNames, ...withoutLocalMeaning];
  const queues = readResources<QueueProperties>(template, resolve, 'AWS::SQS::Queue', known).map((properties) => {
    const { logicalId, RedrivePolicy, VisibilityTimeout = defaultVisibilityTimeoutSeconds } = properties;
    requireKnown(`property of the redrive policy of ${logicalId}:`, Object.keys(RedrivePolicy ?? {}), [
      ...['deadLetterTargetArn', 'maxReceiveCount'],
    ]);
    const attribute = (name: string) => resolve<string>({ 'Fn::GetAtt': [logicalId, name] });
    return {
      constructName: constructNames.get(logicalId) ?? logicalId,
      name: attribute('QueueName'),
      arn: attribute('Arn'),
      url: attribute('QueueUrl'),
      visibilityTimeoutSeconds: VisibilityTimeout,
      attributes: attributesOf(properties),
      deadLetterArn: RedrivePolicy?.deadLetterTargetArn,
    };
  });
  for (const { constructName, name, deadLetterArn } of queues) {
    const deadLetters = queues.find(({ arn }) => arn === deadLetterArn);
    if (deadLetterArn && deadLetters?.name.endsWith('.fifo') !== name.endsWith('.fifo'))
      throw new UserFacingError(
        `${constructName} sends dead letters to ${deadLetterArn}, which is no queue of the template and of its own kind.`,
      );
  }
  return queues;
};

const attributesOf = (properties: QueueProperties): Readonly<Record<string, string>> =>
  Object.fromEntries(
    attributeNames.filter((name) => properties[name] !== undefined).map((name) => [name, textOf(properties[name])]),
  );

const textOf = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));

/** Finds the queue with an ARN. Throws an error that says what needs the queue if the template does not contain it. */
export const queueAt = <Queue extends { readonly arn: string }>(
  queues: readonly Queue[],
  arn: string,
  neededBy: string,
): Queue => {
  const queue = queues.find((each) => each.arn === arn);
  if (queue) return queue;
  throw new UserFacingError(`The template has no queue ${arn}, which ${neededBy} needs.`);
};

type QueuePolicyProperties = { readonly PolicyDocument: PolicyDocument; readonly Queues: readonly string[] };

/** The policy document of each queue that has one, by the queue's URL. */
type Documents = ReadonlyMap<string, PolicyDocument>;

/**
 * Reads the policies of the template's queues. Throws if a queue has two: SQS stores one, so the second would replace the
 * first.
 */
export const readQueuePolicies = ({ template }: Stack, resolve: Resolve): Documents => {
  const documents = new Map<string, PolicyDocument>();
  for (const { Queues, PolicyDocument, logicalId } of readResources<QueuePolicyProperties>(
    template,
    resolve,
    'AWS::SQS::QueuePolicy',
    ['PolicyDocument', 'Queues'],
  ))
    for (const url of Queues) {
      if (documents.has(url)) throw new UserFacingError(`${logicalId} is a second policy of the queue ${url}.`);
      documents.set(url, PolicyDocument);
    }
  return documents;
};

/** Compiles the policies, by the ARN of each queue. A queue without a policy neither allows nor denies explicitly. */
export const compileQueuePolicies = (
  { environment: { accountId } }: Stack,
  queues: readonly { readonly arn: string; readonly url: string }[],
  documents: Documents,
): ReadonlyMap<string, ResourcePolicy> =>
  new Map(
    queues.map(({ arn, url }) => {
      const document = documents.get(url);
      return [arn, compileResourcePolicy(document ? [document] : [], accountId)];
    }),
  );

/** The part of a request to SQS that names a queue. */
type QueueRequest = { readonly QueueUrl?: string; readonly QueueName?: string } & Readonly<Record<string, unknown>>;

/** The operations that clients of a deployed queue use, each with the action that it requires, also for a batch. */
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

/** Returns the permission that a request requires. SQS writes its actions in lowercase. */
export const queueAccessOf = (environment: Environment, operation: string, { QueueUrl, QueueName }: QueueRequest) => {
  const action = actions[operation];
  if (action === undefined) throw new UserFacingError(`The local run does not know the operation ${operation} of SQS.`);
  // A request may contain both; the operation uses one.
  const name = operation === 'GetQueueUrl' ? QueueName : QueueUrl?.replace(/^.*\//, '');
  return { action: `sqs:${action}`, resource: arnOf(environment, 'sqs', name ?? '*') };
};
