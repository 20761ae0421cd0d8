import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { functionEnvironment, lambdaHandler, requestTimeouts } from '../runtime/function-environment.ts';
import { createQueueSender } from '../runtime/senders.ts';
import { createDeliveryQueue, readDelivery } from '../webhooks/delivery-queue.ts';
import { internet } from '../webhooks/post.ts';
import { createWebhookSecrets } from '../webhooks/secrets.ts';
import { type DeliveryEnvironment, sendWebhookMessage } from '../webhooks/send-message.ts';

const ownEnvironment: DeliveryEnvironment = {
  ...functionEnvironment(process.env),
  secretOf: createWebhookSecrets(process.env, requestTimeouts),
  network: internet,
  queueDelivery: createDeliveryQueue(createQueueSender(process.env, requestTimeouts)),
  random: Math.random,
};

/**
 * Sends the webhook messages of a batch in parallel. No entry of the queue is delivered again, whatever the outcome: the table
 * records that a webhook message is owed, and the sweeper queues it again within a minute after its lease ends.
 */
export const handler = lambdaHandler(
  ownEnvironment,
  async ({ Records }: SQSEvent, environment): Promise<SQSBatchResponse> => {
    // The log line of each message says why it failed.
    await Promise.allSettled(Records.map(async ({ body }) => sendWebhookMessage(environment, readDelivery(body))));
    return { batchItemFailures: [] };
  },
);
