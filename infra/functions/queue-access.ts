import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { queueVariable } from '../../lambdas/api/environment.ts';
import type { QueueAction, QueueActions, QueueName } from '../../lambdas/api/queues.ts';

export type QueueByName = Readonly<Record<QueueName, { readonly queue: Queue }>>;

/** What a function may do to queues by its row, and the variables by which it finds them. */
export const queueAccess = (queues: QueueByName, queueActions: QueueActions) => {
  const used = Object.entries(queueActions) as [QueueName, readonly QueueAction[]][];
  return {
    statements: used.map(([name, actions]) => using(queues[name].queue, actions)),
    variables: Object.fromEntries(used.map(([name]) => [queueVariable(name), queues[name].queue.queueUrl])),
  };
};

/** Lets whoever has it do these to the queue. */
export const using = (queue: Queue, actions: readonly string[]): PolicyStatement =>
  new PolicyStatement({ actions: actions.map((action) => `sqs:${action}`), resources: [queue.queueArn] });
