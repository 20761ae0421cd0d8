import { Problem } from '../api/problem.ts';
import { serve } from '../chain/serve.ts';
import { requestTimeouts } from '../data/function-environment.ts';
import { createWebhookSecrets } from '../data/webhooks/secrets.ts';
import { findWebhook } from '../data/webhooks/webhooks.ts';
import { internet } from '../webhooks/network.ts';
import { testWebhook } from '../webhooks/test-webhook.ts';

export const handler = serve(
  'testWebhook',
  async ({ store, contract, pathIds: { webhookId }, nowMs }, poster) => {
    if (contract.state !== 'active') return new Problem('contract-not-active');
    const webhook = await findWebhook(store, contract.companyId, webhookId);
    if (!webhook) return new Problem('webhook-not-found');
    return { body: await testWebhook(poster, webhook, contract.webhookHosts, nowMs) };
  },
  { secretOf: createWebhookSecrets(process.env, requestTimeouts), network: internet },
);
