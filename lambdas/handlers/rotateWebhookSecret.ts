import { rotatedSecretBody } from '../answers/webhook.ts';
import { Problem } from '../api/problem.ts';
import { serve } from '../chain/serve.ts';
import { requestTimeouts } from '../data/function-environment.ts';
import { rotateWebhookSecret } from '../data/webhooks/secret-rotation.ts';
import { createWebhookSecrets } from '../data/webhooks/secrets.ts';

export const handler = serve(
  'rotateWebhookSecret',
  async ({ store, auditContext, pathIds: { webhookId } }, { secretOf }) => {
    const rotation = await rotateWebhookSecret(store, auditContext, webhookId, secretOf);
    return rotation.outcome === 'rotated'
      ? { body: rotatedSecretBody(webhookId, rotation) }
      : new Problem(rotation.outcome);
  },
  { secretOf: createWebhookSecrets(process.env, requestTimeouts) },
);
