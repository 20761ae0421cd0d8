import type { SendToQueue, StandardMessage } from '../queues/queue-sender.ts';
import type { WebhookId } from './secrets.ts';

/** Queues an occasion to poke. The message says only which webhook: whether a poke is owed stands in the table. */
export type QueuePoke = (webhook: WebhookId, delayMs?: number) => Promise<void>;

/** The longest delay that SQS knows; the sweeper queues what is due later. */
export const longestDelayMs = 900_000;

export const createPokeQueue =
  (send: SendToQueue<StandardMessage>): QueuePoke =>
  ({ companyId, webhookId }, delayMs = 0) =>
    send('pokes', {
      body: JSON.stringify({ companyId, webhookId }),
      delaySeconds: Math.ceil(Math.min(delayMs, longestDelayMs) / 1000),
    });

/** Reads what `createPokeQueue` has written; throws if it is something else. */
export const readPokeMessage = (body: string): WebhookId => {
  const { companyId, webhookId } = JSON.parse(body);
  if (typeof companyId === 'string' && typeof webhookId === 'string') return { companyId, webhookId };
  throw new Error('A message of the queue of pokes names no webhook; expected companyId and webhookId.');
};
