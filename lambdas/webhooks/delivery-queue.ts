import type { WebhookId } from '../domain/webhook.ts';
import type { SendToQueue, StandardMessage } from '../runtime/senders.ts';

/** Queues a delivery. The entry of the queue only identifies the webhook; the table says whether a message is owed. */
export type QueueDelivery = (webhook: WebhookId, delayMs?: number) => Promise<void>;

/** The maximum delay of SQS; the sweeper queues what is due later. */
export const longestDelayMs = 900_000;

/** Each company is a message group, so that a backlog of one company does not delay the others. */
export const createDeliveryQueue =
  (send: SendToQueue<StandardMessage>): QueueDelivery =>
  ({ companyId, webhookId }, delayMs = 0) =>
    send('webhookMessages', {
      body: JSON.stringify({ companyId, webhookId }),
      groupId: companyId,
      delaySeconds: Math.ceil(Math.min(delayMs, longestDelayMs) / 1000),
    });

/** Parses a message of `createDeliveryQueue`. Throws for any other message. */
export const readDelivery = (body: string): WebhookId => {
  const { companyId, webhookId } = JSON.parse(body);
  if (typeof companyId === 'string' && typeof webhookId === 'string') return { companyId, webhookId };
  throw new Error('An entry of the queue of webhook messages names no webhook; expected companyId and webhookId.');
};

/** Queues the delivery of a message that is already owed. If that fails, the sweeper finds the webhook within a minute. */
export const deliverSoon = (queueDelivery: QueueDelivery, { companyId, webhookId }: WebhookId): Promise<void> =>
  queueDelivery({ companyId, webhookId }).catch(() => undefined);
