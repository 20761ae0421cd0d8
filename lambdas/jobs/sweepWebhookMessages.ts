import { functionEnvironment, lambdaHandler, requestTimeouts } from '../runtime/function-environment.ts';
import { createQueueCounter, createQueueSender } from '../runtime/senders.ts';
import { createDeliveryQueue } from '../webhooks/delivery-queue.ts';
import { type SweepEnvironment, sweepWebhookMessages } from '../webhooks/sweep.ts';

const ownEnvironment: SweepEnvironment = {
  ...functionEnvironment(process.env),
  queueDelivery: createDeliveryQueue(createQueueSender(process.env, requestTimeouts)),
  countWaiting: createQueueCounter(process.env, requestTimeouts),
};

/** Queues every webhook message that is due. */
export const handler = lambdaHandler(ownEnvironment, (_event: unknown, environment) =>
  sweepWebhookMessages(environment),
);
