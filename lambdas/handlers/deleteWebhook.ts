import { Problem } from '../api/problem.ts';
import { serve } from '../chain/serve.ts';
import { deleteWebhook } from '../data/webhooks/webhook-creation.ts';

export const handler = serve('deleteWebhook', async ({ store, auditContext, pathIds: { webhookId } }) => {
  const { outcome } = await deleteWebhook(store, auditContext, webhookId);
  return outcome === 'deleted' ? { body: undefined } : new Problem(outcome);
});
