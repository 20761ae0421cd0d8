import type { WebhookId } from '../domain/webhook.ts';
import type { SendToQueue, StandardMessage } from '../runtime/senders.ts';

/** Queues a delivery. The message only identifies the webhook; the table says whether a poke is owed. */
export type QueuePoke = (webhook: WebhookId, delayMs?: number) => Promise<void>;

/** The maximum delay of SQS; the sweeper queues what is due later. */
export const longestDelayMs = 900_000;

/** Each company is a message group, so that a backlog of one company does not delay the others. */
export const createPokeQueue =
  (send: SendToQueue<StandardMessage>): QueuePoke =>
  ({ companyId, webhookId }, delayMs = 0) =>
    send('pokes', {
      body: JSON.stringify({ companyId, webhookId }),
      groupId: companyId,
      delaySeconds: Math.ceil(Math.min(delayMs, longestDelayMs) / 1000),
    });

/** Parses a message of `createPokeQueue`. Throws for any other message. */
export const readPokeMessage = (body: string): WebhookId => {
  const { companyId, webhookId } = JSON.parse(body);
  if (typeof companyId === 'string' && typeof webhookId === 'string') return { companyId, webhookId };
  throw new Error('A message of the queue of pokes names no webhook; expected companyId and webhookId.');
};

/** Queues the delivery of a poke that is already owed. If that fails, the sweeper finds the webhook within a minute. */
export const pokeSoon = (queuePoke: QueuePoke, { companyId, webhookId }: WebhookId): Promise<void> =>
  queuePoke({ companyId, webhookId }).catch(() => undefined);
