import { urlProblem, webhookBody } from '../answers/webhook.ts';
import { Problem } from '../api/problem.ts';
import { apiStage } from '../api/version.ts';
import { serve } from '../chain/serve.ts';
import { requestTimeouts } from '../data/function-environment.ts';
import { createWebhookSecrets } from '../data/webhooks/secrets.ts';
import { createWebhook } from '../data/webhooks/webhook-creation.ts';

export const handler = serve(
  'createWebhook',
  async ({ store, auditContext, contract, body: { url }, nowMs }, { webhookSecretOf }) => {
    const problem = urlProblem(url, contract.webhookHosts);
    if (problem) return problem;

    const creation = await createWebhook(store, auditContext, url, webhookSecretOf);
    if (creation.outcome !== 'created') return new Problem(creation.outcome);
    const { webhook, secret } = creation;
    return {
      headers: { Location: `/${apiStage}/webhooks/${webhook.webhookId}` },
      body: { ...webhookBody(webhook, nowMs), secret },
    };
  },
  { webhookSecretOf: createWebhookSecrets(process.env, requestTimeouts) },
);
