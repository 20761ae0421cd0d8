import type { GivenUpQueueName } from '../../lambdas/api/consumers.ts';
import { type QueueName, queueNames } from '../../lambdas/api/queues.ts';

/** Each queue of a stage: those of the rows, each with its dead letters, and those that keep what was not handed on. */
export type StageQueue = QueueName | DeadLetterQueue;

export type DeadLetterQueue = `${QueueName}/deadLetters` | 'undelivered' | GivenUpQueueName;

/** The names that the stack's resources have for them, which are their logical ids without the hash. */
const logicalNames: Readonly<Record<StageQueue, string>> = {
  ...(Object.fromEntries(
    queueNames.flatMap((name) => [
      [name, `SeamsQueues${name}Queue`],
      [`${name}/deadLetters`, `SeamsQueues${name}DeadLetters`],
    ]),
  ) as Record<QueueName | `${QueueName}/deadLetters`, string>),
  undelivered: 'SeamsPortalUndelivered',
  relayFailures: 'SeamsConsumersrelayFailures',
  feedFailures: 'SeamsConsumersfeedFailures',
};

export const logicalNameOf = (queue: StageQueue): string => logicalNames[queue];

export const portalBusLogicalName = 'SeamsPortalBus';

export const stageQueues = Object.keys(logicalNames) as StageQueue[];
