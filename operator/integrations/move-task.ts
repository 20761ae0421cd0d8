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

/** What a move asks of a queue and of its dead letters: SQS carries the task out with the rights of whoever starts it. */
export const moveActions = {
  queue: ['GetQueueAttributes', 'SendMessage'],
  deadLetters: [
    ...(['CancelMessageMoveTask', 'DeleteMessage', 'GetQueueAttributes', 'ListMessageMoveTasks'] as const),
    ...(['ReceiveMessage', 'StartMessageMoveTask'] as const),
  ],
} as const;

/** The way back for the dead letters of a queue: a task of SQS, of which a queue has one at a time. */
export type WayBack = {
  readonly isUnderWay: () => Promise<boolean>;
  /**
   * Starts a task, or goes on with the one that is under way, and resolves to how many were moved, about, when it has ended.
   * It goes on by itself if this is broken off. Throws if SQS stops.
   */
  readonly moveAll: () => Promise<number>;
};

export const openWayBack = async (
  integrations: Integrations,
  queue: QueueWithDeadLetters,
  talk: (line: string) => void,
): Promise<WayBack> => {
  const { sqs } = integrations;
  const SourceArn = await arnOf(integrations, `${queue}/deadLetters`);

  /** The last one: SQS gives no more unless it is asked for them. */
  const findTask = async (): Promise<Task | undefined> =>
    (await sqs.send(new ListMessageMoveTasksCommand({ SourceArn }))).Results?.[0];

  const cancel = async ({ TaskHandle }: Task) => {
    try {
      await sqs.send(new CancelMessageMoveTaskCommand({ TaskHandle }));
    } catch (error) {
      // It may have ended meanwhile, or somebody else has cancelled it.
      if ((await findTask())?.Status === 'RUNNING') throw error;
    }
  };

  const moveAll = async () => {
    const last = await findTask();
    const ended = isActive(last) ? undefined : last;
    if (isActive(last)) talk('A task of SQS is under way already: this run goes on with it.');
    // Without a destination, SQS fails at a message that a consumer has put there itself.
    else
      await sqs.send(new StartMessageMoveTaskCommand({ SourceArn, DestinationArn: await arnOf(integrations, queue) }));
    const tell = createProgress(talk);
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      const task = await findTask();
      // SQS may list an earlier one for a moment.
      if (task && task.StartedTimestamp !== ended?.StartedTimestamp) {
        if (!isActive(task)) return resultOf(task);
        tell(task);
        // What is refused again is a dead letter again, at once: the task would move it for ever.
        if (task.Status === 'RUNNING' && hasMovedEach(task)) await cancel(task);
      }
      await wait(pauseMs);
    }
  };

  return { isUnderWay: async () => isActive(await findTask()), moveAll };
};

type Task = ListMessageMoveTasksResultEntry;

/** A few messages are moved at once, those of an outage in an hour. */
const firstPauseMs = 20;
const longestPauseMs = 2000;

const finalStates = ['COMPLETED', 'CANCELLED', 'FAILED'];

const isActive = (task: Task | undefined): boolean => task !== undefined && !finalStates.includes(task.Status ?? '');

/** Whether as many were moved as there were at the start, which SQS tells as soon as it has begun. */
const hasMovedEach = ({
  ApproximateNumberOfMessagesMoved: moved = 0,
  ApproximateNumberOfMessagesToMove: toMove,
}: Task): boolean => toMove !== undefined && moved > 0 && moved >= toMove;

/** Tells each tenth. */
const createProgress = (talk: (line: string) => void) => {
  let told = 0;
  return ({ ApproximateNumberOfMessagesMoved: moved = 0, ApproximateNumberOfMessagesToMove: toMove = 0 }: Task) => {
    const tenths = toMove > 0 ? Math.floor((10 * moved) / toMove) : 0;
    if (tenths > told) talk(`About ${moved} of ${toMove} moved.`);
    told = Math.max(tenths, told);
  };
};

const resultOf = (task: Task): number => {
  const { ApproximateNumberOfMessagesMoved: moved = 0, FailureReason } = task;
  if (task.Status !== 'FAILED') return moved;
  throw new OperatorError(
    'error',
    `SQS stopped after about ${moved} messages: ${FailureReason}. The others are still dead letters. Mend the cause, then run it again.`,
  );
};

const arnOf = async ({ sqs, urlOf }: Integrations, queue: StageQueue): Promise<string | undefined> => {
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: urlOf(queue), AttributeNames: ['QueueArn'] }),
  );
  return Attributes?.QueueArn;
};
