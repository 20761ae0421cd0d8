import { webhookBody } from '../answers/webhook.ts';
import { Problem } from '../api/problem.ts';
import { serve } from '../chain/serve.ts';
import { findWebhook } from '../data/webhooks/webhooks.ts';

export const handler = serve('getWebhook', async ({ store, key, pathIds: { webhookId }, nowMs }) => {
  const webhook = await findWebhook(store, key.companyId, webhookId);
  return webhook ? { body: webhookBody(webhook, nowMs) } : new Problem('webhook-not-found');
});
