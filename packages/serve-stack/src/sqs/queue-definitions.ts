import { requireKnown } from '../errors/require-known.ts';
import { UserFacingError } from '../errors/user-facing-error.ts';
import { constructNamesOf } from '../template/construct-names.ts';
import type { Resolve } from '../template/intrinsics.ts';
import { readResources } from '../template/resources.ts';
import { resourcesOf, type Template } from '../template/template.ts';

/** Holds what the template says of a queue. */
export type QueueDefinition = {
  /** The name that the source code of the stack gives it. */
  readonly constructName: string;
  readonly name: string;
  readonly arn: string;
  readonly url: string;
  readonly visibilityTimeoutSeconds: number;
  /** As SQS itself takes them. */
  readonly attributes: Readonly<Record<string, string>>;
};

type RedrivePolicy = { readonly deadLetterTargetArn: string; readonly maxReceiveCount: number };

type QueueProperties = Readonly<Record<string, unknown>> & {
  readonly RedrivePolicy?: RedrivePolicy;
  readonly VisibilityTimeout?: number;
};

/** These have the same names and meanings for SQS. */
const attributeNames = [
  ...['ContentBasedDeduplication', 'DeduplicationScope', 'DelaySeconds', 'FifoQueue', 'FifoThroughputLimit'],
  ...['MaximumMessageSize', 'MessageRetentionPeriod', 'ReceiveMessageWaitTimeSeconds', 'RedriveAllowPolicy'],
  ...['RedrivePolicy', 'VisibilityTimeout'],
];

/** Queues here are not encrypted, for they are in the memory of this machine. */
const withoutLocalMeaning = ['KmsDataKeyReusePeriodSeconds', 'KmsMasterKeyId', 'SqsManagedSseEnabled', 'Tags'];

const defaultVisibilityTimeoutSeconds = 30;

/** Reads the template's queues; what is not known of one is an error that names it. */
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

/** Finds the queue of an ARN; one that the template does not have is an error that says who needs it. */
export const queueAt = <Queue extends { readonly arn: string }>(
  queues: readonly Queue[],
  arn: string,
  neededBy: string,
): Queue => {
  const queue = queues.find((each) => each.arn === arn);
  if (queue) return queue;
  throw new UserFacingError(`The template has no queue ${arn}, which ${neededBy} needs.`);
};
