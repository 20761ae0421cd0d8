import { pageAnswer, pageStart } from '../answers/pages.ts';
import { rotatedSecretBody, urlProblem, webhookAttemptBody, webhookBody } from '../answers/webhooks.ts';
import { Problem } from '../api/problems.ts';
import { apiStage } from '../api/version.ts';
import { serve } from '../chain/serve.ts';
import { hasLeft } from '../data/contracts/contracts.ts';
import { attemptPositionOf, attemptPositionPattern, readAttempts } from '../data/webhooks/webhook-attempts.ts';
import {
  createWebhook as addWebhook,
  deleteWebhook as removeWebhook,
  rotateWebhookSecret as rotateSecret,
  verifyWebhook as verifyCode,
} from '../data/webhooks/webhook-lifecycle.ts';
import { findWebhook, listWebhooks as readWebhooks } from '../data/webhooks/webhooks.ts';
import type { Webhook } from '../domain/webhook.ts';
import type { ListedAttempt } from '../domain/webhook-message.ts';
import { requestTimeouts } from '../runtime/function-environment.ts';
import { createQueueSender } from '../runtime/senders.ts';
import { createDeliveryQueue, deliverSoon } from '../webhooks/delivery-queue.ts';
import { internet } from '../webhooks/post.ts';
import { createWebhookSecrets } from '../webhooks/secrets.ts';
import { testWebhook as sendTestMessages } from '../webhooks/test-webhook.ts';

const withSecrets = () => ({ secretOf: createWebhookSecrets(process.env, requestTimeouts) });
const withDeliveries = () => ({ queueDelivery: createDeliveryQueue(createQueueSender(process.env, requestTimeouts)) });

export const createWebhook = /* @__PURE__ */ serve(
  'createWebhook',
  async ({ store, auditContext, company, body: { url }, nowMs }, { secretOf, queueDelivery }) => {
    if (await hasLeft(store, company.companyId)) return new Problem('contract-not-active');
    const problem = urlProblem(url, company.webhookHosts);
    if (problem) return problem;

    const creation = await addWebhook(store, auditContext, url, secretOf);
    if (creation.outcome === 'webhook-exists') return new Problem(creation.outcome, { webhookId: creation.webhookId });
    if (creation.outcome !== 'created') return new Problem(creation.outcome);
    const { webhook, secret } = creation;
    await deliverSoon(queueDelivery, webhook);
    return {
      headers: { Location: `/${apiStage}/webhooks/${webhook.webhookId}` },
      body: { ...webhookBody(webhook, nowMs), secret },
    };
  },
  () => ({ ...withSecrets(), ...withDeliveries() }),
);

export const listWebhooks = /* @__PURE__ */ serve('listWebhooks', async (call) => {
  const { store, key, query, nowMs } = call;
  const start = pageStart(call);
  if (start instanceof Problem) return start;
  const { webhooks, next } = await readWebhooks(store, key.companyId, query.limit, start);
  const itemOf = (each: Webhook) => webhookBody(each, nowMs);
  return pageAnswer(call, webhooks, { itemOf, positionOf: ({ webhookId }) => webhookId, next });
});

export const getWebhook = /* @__PURE__ */ serve('getWebhook', async ({ store, key, pathIds: { webhookId }, nowMs }) => {
  const webhook = await findWebhook(store, key.companyId, webhookId);
  return webhook ? { body: webhookBody(webhook, nowMs) } : new Problem('webhook-not-found');
});

export const listWebhookAttempts = /* @__PURE__ */ serve('listWebhookAttempts', async (call) => {
  const { store, key, pathIds, query, nowMs } = call;
  const { companyId } = key;
  const { webhookId } = pathIds;
  const start = pageStart(call, attemptPositionPattern);
  if (start instanceof Problem) return start;
  const [webhook, { attempts, next }] = await Promise.all([
    findWebhook(store, companyId, webhookId),
    readAttempts(store, { companyId, webhookId }, { nowMs, limit: query.limit, after: start }),
  ]);
  if (!webhook) return new Problem('webhook-not-found');
  const itemOf = (attempt: ListedAttempt) => webhookAttemptBody(webhook, attempt);
  return pageAnswer(call, attempts, { itemOf, positionOf: attemptPositionOf, next });
});

export const deleteWebhook = /* @__PURE__ */ serve(
  'deleteWebhook',
  async ({ store, auditContext, pathIds: { webhookId } }) => {
    const { outcome } = await removeWebhook(store, auditContext, webhookId);
    return outcome === 'deleted' ? { body: undefined } : new Problem(outcome);
  },
);

export const verifyWebhook = /* @__PURE__ */ serve(
  'verifyWebhook',
  async ({ store, auditContext, company, pathIds: { webhookId }, body, nowMs }, { queueDelivery }) => {
    if (await hasLeft(store, company.companyId)) return new Problem('contract-not-active');
    const verification = await verifyCode(store, auditContext, webhookId, body.code);
    if (!('webhook' in verification)) return new Problem(verification.outcome);
    if (verification.outcome !== 'unchanged') await deliverSoon(queueDelivery, verification.webhook);
    return { body: webhookBody(verification.webhook, nowMs) };
  },
  withDeliveries,
);

export const rotateWebhookSecret = /* @__PURE__ */ serve(
  'rotateWebhookSecret',
  async ({ store, auditContext, pathIds: { webhookId } }, { secretOf }) => {
    const rotation = await rotateSecret(store, auditContext, webhookId, secretOf);
    return rotation.outcome === 'rotated'
      ? { body: rotatedSecretBody(webhookId, rotation) }
      : new Problem(rotation.outcome);
  },
  withSecrets,
);

export const testWebhook = /* @__PURE__ */ serve(
  'testWebhook',
  async ({ store, company, pathIds: { webhookId }, body: { type = 'webhook.test' }, nowMs }, poster) => {
    if (await hasLeft(store, company.companyId)) return new Problem('contract-not-active');
    const webhook = await findWebhook(store, company.companyId, webhookId);
    if (!webhook) return new Problem('webhook-not-found');
    return { body: await sendTestMessages(poster, webhook, { type, hosts: company.webhookHosts, nowMs }) };
  },
  () => ({ ...withSecrets(), network: internet }),
);
