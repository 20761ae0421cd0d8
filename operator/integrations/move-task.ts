import { setTimeout as wait } from 'node:timers/promises';
import {
  CancelMessageMoveTaskCommand,
  GetQueueAttributesCommand,
  ListMessageMoveTasksCommand,
  type ListMessageMoveTasksResultEntry,
  StartMessageMoveTaskCommand,
} from '@aws-sdk/client-sqs';
import type { QueueWithDeadLetters } from '../../lambdas/api/queues.ts';
import { OperatorError } from '../error.ts';
import type { Integrations, StageQueue } from './integrations.ts';

/** The permissions that a move needs: SQS runs the task with the permissions of the caller who starts it. */
export const moveActions = {
  queue: ['GetQueueAttributes', 'SendMessage'],
  deadLetters: [
    ...(['CancelMessageMoveTask', 'DeleteMessage', 'GetQueueAttributes', 'ListMessageMoveTasks'] as const),
    ...(['ReceiveMessage', 'StartMessageMoveTask'] as const),
  ],
} as const;

/** Moves dead letters back to their queue with an SQS message move task. A queue has one such task at a time. */
type Redrive = {
  readonly isUnderWay: () => Promise<boolean>;
  /**
   * Starts a task, or waits for the running task. Resolves to the approximate number of moved messages when the task has
   * ended. The task continues if this program is interrupted. Throws if the task fails.
   */
  readonly moveAll: () => Promise<number>;
};

export const openRedrive = async (
  integrations: Integrations,
  queue: QueueWithDeadLetters,
  talk: (line: string) => void,
): Promise<Redrive> => {
  const { sqs } = integrations;
  const SourceArn = await arnOf(integrations, `${queue}/deadLetters`);

  /** Returns the last task. By default, SQS lists only that one. */
  const findTask = async (): Promise<Task | undefined> =>
    (await sqs.send(new ListMessageMoveTasksCommand({ SourceArn }))).Results?.[0];

  const cancel = async ({ TaskHandle }: Task) => {
    try {
      await sqs.send(new CancelMessageMoveTaskCommand({ TaskHandle }));
    } catch (error) {
      // The task may have ended, or another caller may have cancelled it.
      if ((await findTask())?.Status === 'RUNNING') throw error;
    }
  };

  const moveAll = async () => {
    const last = await findTask();
    const ended = isActive(last) ? undefined : last;
    if (isActive(last)) talk('SQS is already moving the messages: this run waits for that task.');
    // Without a destination, SQS fails for messages that a consumer has sent to the dead-letter queue itself.
    else
      await sqs.send(new StartMessageMoveTaskCommand({ SourceArn, DestinationArn: await arnOf(integrations, queue) }));
    const report = createProgress(talk);
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      const task = await findTask();
      // SQS may briefly list an earlier task.
      if (task && task.StartedTimestamp !== ended?.StartedTimestamp) {
        if (!isActive(task)) return resultOf(task);
        report(task);
        // A message that is rejected again is a dead letter again at once: the task would never end.
        if (task.Status === 'RUNNING' && hasMovedEach(task)) await cancel(task);
      }
      await wait(pauseMs);
    }
  };

  return { isUnderWay: async () => isActive(await findTask()), moveAll };
};

type Task = ListMessageMoveTasksResultEntry;

/** SQS moves a few messages at once, and those of an outage within an hour. */
const firstPauseMs = 20;
const longestPauseMs = 2000;

const finalStates = ['COMPLETED', 'CANCELLED', 'FAILED'];

const isActive = (task: Task | undefined): boolean => task !== undefined && !finalStates.includes(task.Status ?? '');

/** Whether SQS has moved as many messages as there were at the start. It reports that number once it has begun. */
const hasMovedEach = ({
  ApproximateNumberOfMessagesMoved: moved = 0,
  ApproximateNumberOfMessagesToMove: toMove,
}: Task): boolean => toMove !== undefined && moved > 0 && moved >= toMove;

/** Reports every tenth of the progress. */
const createProgress = (talk: (line: string) => void) => {
  let reported = 0;
  return ({ ApproximateNumberOfMessagesMoved: moved = 0, ApproximateNumberOfMessagesToMove: toMove = 0 }: Task) => {
    const tenths = toMove > 0 ? Math.floor((10 * moved) / toMove) : 0;
    if (tenths > reported) talk(`About ${moved} of ${toMove} moved.`);
    reported = Math.max(tenths, reported);
  };
};

const resultOf = (task: Task): number => {
  const { ApproximateNumberOfMessagesMoved: moved = 0, FailureReason } = task;
  if (task.Status !== 'FAILED') return moved;
  throw new OperatorError(
    'error',
    `SQS stopped after about ${moved} messages: ${FailureReason}. The others are still dead letters. Fix the cause, then run the command again.`,
  );
};

const arnOf = async ({ sqs, urlOf }: Integrations, queue: StageQueue): Promise<string | undefined> => {
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: urlOf(queue), AttributeNames: ['QueueArn'] }),
  );
  return Attributes?.QueueArn;
};
