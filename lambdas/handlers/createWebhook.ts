import { urlProblem, webhookBody } from '../answers/webhook.ts';
import { Problem } from '../api/problem.ts';
import { apiStage } from '../api/version.ts';
import { serve } from '../chain/serve.ts';
import { requestTimeouts } from '../data/function-environment.ts';
import { createQueueSender } from '../data/queues/queue-sender.ts';
import { createPokeQueue } from '../data/webhooks/poke-queue.ts';
import { createWebhookSecrets } from '../data/webhooks/secrets.ts';
import { createWebhook } from '../data/webhooks/webhook-creation.ts';
import { pokeSoon } from '../webhooks/poke-soon.ts';

export const handler = serve(
  'createWebhook',
  async ({ store, auditContext, contract, body: { url }, nowMs }, { secretOf, queuePoke }) => {
    if (contract.state !== 'active') return new Problem('contract-not-active');
    const problem = urlProblem(url, contract.webhookHosts);
    if (problem) return problem;

    const creation = await createWebhook(store, auditContext, url, secretOf);
    if (creation.outcome !== 'created') return new Problem(creation.outcome);
    const { webhook, secret } = creation;
    await pokeSoon(queuePoke, webhook);
    return {
      headers: { Location: `/${apiStage}/webhooks/${webhook.webhookId}` },
      body: { ...webhookBody(webhook, nowMs), secret },
    };
  },
  {
    secretOf: createWebhookSecrets(process.env, requestTimeouts),
    queuePoke: createPokeQueue(createQueueSender(process.env, requestTimeouts)),
  },
);
