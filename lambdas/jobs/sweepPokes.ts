import { functionEnvironment, lambdaHandler, requestTimeouts } from '../runtime/function-environment.ts';
import { createQueueCounter, createQueueSender } from '../runtime/senders.ts';
import { createPokeQueue } from '../webhooks/poke-queue.ts';
import { type SweepEnvironment, sweepPokes } from '../webhooks/sweep.ts';

const ownEnvironment: SweepEnvironment = {
  ...functionEnvironment(process.env),
  queuePoke: createPokeQueue(createQueueSender(process.env, requestTimeouts)),
  countWaiting: createQueueCounter(process.env, requestTimeouts),
};

/** Queues every poke that is due. */
export const handler = lambdaHandler(ownEnvironment, (_event: unknown, environment) => sweepPokes(environment));
