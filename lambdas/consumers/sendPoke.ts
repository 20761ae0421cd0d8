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

/** Sends the pokes that messages are about. Those that failed by our fault are received again. */
export const handler = lambdaHandler(
  ownEnvironment,
  async ({ Records }: SQSEvent, environment): Promise<SQSBatchResponse> => {
    const failures = await Promise.all(
      Records.map(({ messageId, body }) =>
        sendPoke(environment, readPokeMessage(body)).then(
          () => [],
          // The poke's line says why.
          () => [{ itemIdentifier: messageId }],
        ),
      ),
    );
    return { batchItemFailures: failures.flat() };
  },
);
