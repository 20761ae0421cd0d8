import { Duration } from 'aws-cdk-lib';
import { ArnPrincipal, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { DeduplicationScope, FifoThroughputLimit, Queue, QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { StageConfig } from '../../config/schema.ts';
import {
  messageRetentionDays,
  type Neighbour,
  type QueueName,
  type Queue as QueueRow,
  type QueueWithDeadLetters,
  queues,
} from '../../lambdas/api/queues.ts';

/** A queue and its dead-letter queue. */
type QueuePair = { readonly queue: Queue; readonly deadLetters: Queue };

export type QueuePairs = Readonly<
  Record<QueueWithDeadLetters, QueuePair> & Record<QueueName, Pick<QueuePair, 'queue'>>
>;

/**
 * Creates the queue of each row, with a dead-letter queue if the row has one, and allows the neighbour's principals, if any, to
 * use it.
 */
export class Queues extends Construct {
  readonly pairs: QueuePairs;

  constructor(scope: Construct, id: string, { neighbours }: Pick<StageConfig, 'neighbours'>) {
    super(scope, id);
    const pairs = (Object.entries(queues) as [QueueName, QueueRow][]).map(([name, row]) => {
      const pair = createPair(new Construct(this, name), row);
      if (row.direction !== 'within' && !row.isBehindBus) {
        const principals = neighbours?.[principalsOf[row.neighbour]] ?? [];
        if (principals.length > 0) allow(pair.queue, actionsOf[row.direction], principals);
      }
      return [name, pair];
    });
    this.pairs = Object.fromEntries(pairs) as QueuePairs;
  }
}

/** Creates a queue for messages that could not be handled. Only the account can read them. */
export const createFailureQueue = (scope: Construct, id: string, props: QueueProps = {}): Queue =>
  new Queue(scope, id, { ...commonOfQueues, ...props });

/** Sets no name: a queue that has to be replaced would find its name taken. */
export const commonOfQueues = {
  encryption: QueueEncryption.SQS_MANAGED,
  enforceSSL: true,
  retentionPeriod: Duration.days(messageRetentionDays),
} as const;

const createPair = (scope: Construct, row: QueueRow): Pick<QueuePair, 'queue'> & Partial<QueuePair> => {
  const kind = row.kind === 'fifo' ? orderedByGroup : {};
  const { maxReceiveCount } = row;
  const deadLetters = maxReceiveCount === undefined ? undefined : createFailureQueue(scope, 'DeadLetters', kind);
  const queue = new Queue(scope, 'Queue', {
    ...commonOfQueues,
    ...kind,
    ...(row.maxMessageBytes !== undefined && { maxMessageSizeBytes: row.maxMessageBytes }),
    visibilityTimeout: Duration.seconds(row.visibilityTimeoutSeconds),
    ...(deadLetters && maxReceiveCount && { deadLetterQueue: { queue: deadLetters, maxReceiveCount } }),
  });
  return { queue, ...(deadLetters && { deadLetters }) };
};

/** Each message group has its own order and throughput. */
const orderedByGroup = {
  fifo: true,
  deduplicationScope: DeduplicationScope.MESSAGE_GROUP,
  fifoThroughputLimit: FifoThroughputLimit.PER_MESSAGE_GROUP_ID,
} as const;

/** The key of each neighbour's principals in a stage's configuration. */
const principalsOf = {
  portal: 'portalPrincipals',
  'gateway-backend': 'gatewayBackendPrincipals',
} as const satisfies Record<Neighbour, keyof NonNullable<StageConfig['neighbours']>>;

const actionsOf: Readonly<Record<Exclude<QueueRow['direction'], 'within'>, readonly string[]>> = {
  in: ['GetQueueAttributes', 'GetQueueUrl', 'SendMessage'],
  out: ['ChangeMessageVisibility', 'DeleteMessage', 'GetQueueAttributes', 'GetQueueUrl', 'ReceiveMessage'],
};

const allow = (queue: Queue, actions: readonly string[], principals: readonly string[]) =>
  queue.addToResourcePolicy(
    new PolicyStatement({
      principals: principals.map((arn) => new ArnPrincipal(arn)),
      actions: actions.map((action) => `sqs:${action}`),
      resources: [queue.queueArn],
    }),
  );
