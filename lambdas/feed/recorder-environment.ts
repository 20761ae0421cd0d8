import type { FeedRecorder } from '../api/log-events/background-events.ts';
import { requestTimeouts } from '../data/function-environment.ts';
import { createQueueSender } from '../data/queues/queue-sender.ts';
import { createPokeQueue } from '../data/webhooks/poke-queue.ts';
import { consumerEnvironment } from '../inbound/consumer-environment.ts';
import type { RecorderEnvironment } from './record-events.ts';

/** What a function that writes to the feed is given by its stage. */
export const recorderEnvironment = (
  name: FeedRecorder,
  variables: Readonly<Record<string, string | undefined>>,
): RecorderEnvironment => ({
  ...consumerEnvironment(name, variables),
  queuePoke: createPokeQueue(createQueueSender(variables, requestTimeouts)),
});
