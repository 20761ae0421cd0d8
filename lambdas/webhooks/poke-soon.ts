import type { QueuePoke } from '../data/webhooks/poke-queue.ts';
import type { WebhookId } from '../data/webhooks/secrets.ts';

/** Has a poke that is owed by now sent at once. If the message is lost, the sweeper finds the webhook within a minute. */
export const pokeSoon = (queuePoke: QueuePoke, { companyId, webhookId }: WebhookId): Promise<void> =>
  queuePoke({ companyId, webhookId }).catch(() => undefined);
