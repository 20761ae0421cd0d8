import { webhookBody } from '../answers/company.ts';
import type { ItemChange } from '../data/store/stream-record.ts';
import { toWebhook } from '../data/webhooks/webhooks.ts';
import type { FeedFact } from '../domain/feed-event.ts';

/** What a change of an item of Webhooks means to its company; who sends pokes, and when, means nothing. */
export const webhookFacts = ({ before, after, atMs }: ItemChange): FeedFact[] => {
  if (after?.state !== 'disabled' || before?.state === 'disabled') return [];
  const webhook = toWebhook({ ...after });
  return [
    {
      type: 'webhook.disabled',
      atMs: webhook.disabledAtMs ?? atMs,
      resource: `/webhooks/${webhook.webhookId}`,
      data: webhookBody(webhook, atMs),
    },
  ];
};
