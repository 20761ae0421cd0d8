import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import type { Seams } from '../connection/seams.ts';
import type { StageQueue } from '../connection/stage-queues.ts';

/** How many messages a queue has, about: SQS counts them on several servers. */
export type Depth = {
  /** Those that can be received. */
  readonly waiting: number;
  /** Those that somebody has received and not deleted yet. */
  readonly inFlight: number;
};

export const readDepth = async ({ sqs, urlOf }: Seams, queue: StageQueue): Promise<Depth> => {
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({
      QueueUrl: urlOf(queue),
      AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
    }),
  );
  return {
    waiting: Number(Attributes.ApproximateNumberOfMessages),
    inFlight: Number(Attributes.ApproximateNumberOfMessagesNotVisible),
  };
};
