import { webhookBody } from '../answers/webhook.ts';
import { Problem } from '../api/problem.ts';
import { serve } from '../chain/serve.ts';
import { verifyWebhook } from '../data/webhooks/webhook-verification.ts';

export const handler = serve('verifyWebhook', async ({ store, auditContext, pathIds: { webhookId }, body, nowMs }) => {
  const verification = await verifyWebhook(store, auditContext, webhookId, body.code);
  return 'webhook' in verification
    ? { body: webhookBody(verification.webhook, nowMs) }
    : new Problem(verification.outcome);
});
