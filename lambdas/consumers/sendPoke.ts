import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { functionEnvironment, lambdaHandler, requestTimeouts } from '../runtime/function-environment.ts';
import { createQueueSender } from '../runtime/senders.ts';
import { createPokeQueue, readPokeMessage } from '../webhooks/poke-queue.ts';
import { internet } from '../webhooks/post.ts';
import { createWebhookSecrets } from '../webhooks/secrets.ts';
import { type PokeEnvironment, sendPoke } from '../webhooks/send-poke.ts';

const ownEnvironment: PokeEnvironment = {
  ...functionEnvironment(process.env),
  secretOf: createWebhookSecrets(process.env, requestTimeouts),
  network: internet,
  queuePoke: createPokeQueue(createQueueSender(process.env, requestTimeouts)),
  random: Math.random,
};

/**
 * Sends the pokes of a batch in parallel. No message is delivered again, whatever the outcome: the table records that a
 * poke is owed, and the sweeper queues it again within a minute after its lease ends.
 */
export const handler = lambdaHandler(
  ownEnvironment,
  async ({ Records }: SQSEvent, environment): Promise<SQSBatchResponse> => {
    // The log line of each poke says why it failed.
    await Promise.allSettled(Records.map(async ({ body }) => sendPoke(environment, readPokeMessage(body))));
    return { batchItemFailures: [] };
  },
);
