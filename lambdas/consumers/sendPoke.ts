import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { functionEnvironment, lambdaHandler, requestTimeouts } from '../data/function-environment.ts';
import { createQueueSender } from '../data/senders.ts';
import { createPokeQueue, readPokeMessage } from '../data/webhooks/pokes.ts';
import { createWebhookSecrets } from '../data/webhooks/secrets.ts';
import { internet } from '../webhooks/post.ts';
import { type PokeEnvironment, sendPoke } from '../webhooks/send-poke.ts';

const ownEnvironment: PokeEnvironment = {
  ...functionEnvironment(process.env),
  secretOf: createWebhookSecrets(process.env, requestTimeouts),
  network: internet,
  queuePoke: createPokeQueue(createQueueSender(process.env, requestTimeouts)),
  random: Math.random,
};

/**
 * Sends the pokes that messages are about, side by side. None comes again, whatever becomes of it: a poke that is owed stands in the
 * table, and the sweeper finds it within a minute of the end of its lease.
 */
export const handler = lambdaHandler(
  ownEnvironment,
  async ({ Records }: SQSEvent, environment): Promise<SQSBatchResponse> => {
    // The line of each poke says why it failed.
    await Promise.allSettled(Records.map(async ({ body }) => sendPoke(environment, readPokeMessage(body))));
    return { batchItemFailures: [] };
  },
);
