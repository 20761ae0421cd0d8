import { pageOf, pageQuery } from '../schemas/common.ts';
import {
  webhook,
  webhookCreated,
  webhookCreation,
  webhookSecret,
  webhookTest,
  webhookVerification,
} from '../schemas/webhook.ts';
import { type Endpoint, ofContracts } from './endpoint.ts';

/** The rows of webhooks, which notify a company of new events. */
export const webhookEndpoints = {
  createWebhook: {
    summary: 'Create a webhook; a message brings its code to the URL',
    method: 'POST',
    path: '/webhooks',
    ratePolicy: 'general',
    body: webhookCreation,
    success: { status: 201, body: webhookCreated, headers: ['Location'] },
    problems: ['contract-not-active', 'webhook-host-not-registered', 'webhook-exists', 'webhook-limit-reached'],
    tableActions: { ...ofContracts, Webhooks: ['GetItem', 'Query', 'PutItem', 'UpdateItem'], AuditLog: ['PutItem'] },
    queueActions: { pokes: ['SendMessage'] },
    macKeys: ['webhookSecrets'],
    // KMS and the queue need time in addition to the store.
    timeoutSeconds: 10,
  },
  listWebhooks: {
    summary: 'List the webhooks of the company',
    method: 'GET',
    path: '/webhooks',
    ratePolicy: 'general',
    query: pageQuery,
    success: { status: 200, body: pageOf(webhook) },
    tableActions: { Webhooks: ['Query'] },
  },
  getWebhook: {
    summary: 'Read a webhook: whether it is enabled, and how the last attempt to send a message went',
    method: 'GET',
    path: '/webhooks/{webhookId}',
    ratePolicy: 'general',
    success: { status: 200, body: webhook },
    problems: ['webhook-not-found'],
    tableActions: { Webhooks: ['GetItem'] },
  },
  deleteWebhook: {
    summary: 'Delete a webhook',
    method: 'DELETE',
    path: '/webhooks/{webhookId}',
    ratePolicy: 'general',
    success: { status: 204 },
    problems: ['webhook-not-found'],
    tableActions: { Webhooks: ['DeleteItem', 'UpdateItem'], AuditLog: ['PutItem'] },
  },
  verifyWebhook: {
    summary: 'Enable a webhook with the code that came to its URL, or ask for a new code',
    method: 'POST',
    path: '/webhooks/{webhookId}/verification',
    ratePolicy: 'general',
    body: webhookVerification,
    success: { status: 200, body: webhook },
    problems: ['contract-not-active', 'webhook-not-found', 'webhook-code-mismatch'],
    tableActions: { ...ofContracts, Webhooks: ['GetItem', 'UpdateItem'], AuditLog: ['PutItem'] },
    queueActions: { pokes: ['SendMessage'] },
  },
  rotateWebhookSecret: {
    summary: 'Give a webhook a new secret; for a day, messages are also signed with the old one',
    method: 'POST',
    path: '/webhooks/{webhookId}/secret',
    ratePolicy: 'general',
    success: { status: 200, body: webhookSecret },
    problems: ['webhook-not-found'],
    tableActions: { Webhooks: ['GetItem', 'UpdateItem'], AuditLog: ['PutItem'] },
    macKeys: ['webhookSecrets'],
    timeoutSeconds: 10,
  },
  testWebhook: {
    summary: 'Send two messages to a webhook at once, one with a right signature and one with a wrong one',
    method: 'POST',
    path: '/webhooks/{webhookId}/test',
    ratePolicy: 'general',
    success: { status: 200, body: webhookTest },
    problems: ['contract-not-active', 'webhook-not-found'],
    tableActions: { ...ofContracts, Webhooks: ['GetItem'] },
    macKeys: ['webhookSecrets'],
    // The receiver may take up to three seconds.
    timeoutSeconds: 10,
  },
} as const satisfies Record<string, Endpoint>;
