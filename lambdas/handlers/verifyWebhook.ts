import { webhookBody } from '../answers/webhook.ts';
import { Problem } from '../api/problem.ts';
import { serve } from '../chain/serve.ts';
import { requestTimeouts } from '../data/function-environment.ts';
import { createQueueSender } from '../data/queues/queue-sender.ts';
import { createPokeQueue } from '../data/webhooks/poke-queue.ts';
import { verifyWebhook } from '../data/webhooks/webhook-verification.ts';
import { pokeSoon } from '../webhooks/poke-soon.ts';

export const handler = serve(
  'verifyWebhook',
  async ({ store, auditContext, contract, pathIds: { webhookId }, body, nowMs }, { queuePoke }) => {
    if (contract.state !== 'active') return new Problem('contract-not-active');
    const verification = await verifyWebhook(store, auditContext, webhookId, body.code);
    if (!('webhook' in verification)) return new Problem(verification.outcome);
    if (verification.outcome !== 'unchanged') await pokeSoon(queuePoke, verification.webhook);
    return { body: webhookBody(verification.webhook, nowMs) };
  },
  { queuePoke: createPokeQueue(createQueueSender(process.env, requestTimeouts)) },
);
