import { maxWebhooksPerCompany, webhookCodeHours } from '../../api/limits.ts';
import { newCode, newWebhookId, type Webhook } from '../../domain/webhooks/webhook.ts';
import { type AuditContext, auditPut } from '../audit/audit-log.ts';
import type { Store } from '../store/store.ts';
import { type TransactItem, transact } from '../store/transaction.ts';
import type { WebhookSecretOf } from './secrets.ts';
import { idsKey, owedFrom, toWebhookItem, webhookKey } from './webhooks.ts';

export type WebhookCreation =
  | { readonly outcome: 'created'; readonly webhook: Webhook; readonly secret: string }
  | { readonly outcome: 'webhook-limit-reached' };

/**
 * Creates a webhook for the company of the act. It is owed a poke at once: the one with its code. Its secret is derived
 * first, so that there is none whose secret could not be shown. Throws StoreUnavailableError.
 */
export const createWebhook = async (
  store: Store,
  auditContext: AuditContext,
  url: string,
  secretOf: WebhookSecretOf,
): Promise<WebhookCreation> => {
  const { companyId, nowMs } = auditContext;
  const webhookId = newWebhookId();
  const secret = await secretOf({ companyId, webhookId }, firstVersion);
  const webhook: Webhook = {
    companyId,
    webhookId,
    url,
    state: 'unverified',
    createdAtMs: nowMs,
    secretVersion: firstVersion,
    ...freshCode(nowMs),
    asked: 1,
    failures: 0,
    ...owedFrom(webhookId, nowMs),
  };
  const failed = await transact(store, {
    ids: addId(store, companyId, webhookId),
    webhook: putNewWebhook(store, webhook),
    audit: auditPut(store, auditContext, { webhookId, after: { url } }),
  });
  return failed?.name === 'ids' ? { outcome: 'webhook-limit-reached' } : { outcome: 'created', webhook, secret };
};

const firstVersion = 1;

/** A code, and how long it holds. */
export const freshCode = (nowMs: number) => ({
  code: newCode(),
  codeExpiresAtMs: nowMs + webhookCodeHours * 3_600_000,
});

/** Removes a webhook of the act's company; what is on its way to it changes nothing about that. Throws StoreUnavailableError. */
export const deleteWebhook = async (
  store: Store,
  auditContext: AuditContext,
  webhookId: string,
): Promise<{ readonly outcome: 'deleted' | 'webhook-not-found' }> => {
  const { companyId } = auditContext;
  const failed = await transact(store, {
    webhook: removeWebhook(store, companyId, webhookId),
    ids: removeId(store, companyId, webhookId),
    audit: auditPut(store, auditContext, { webhookId }),
  });
  return { outcome: failed ? 'webhook-not-found' : 'deleted' };
};

/** The part of a transaction that takes one of the places that a company has for webhooks. */
export const addId = (store: Store, companyId: string, webhookId: string): TransactItem => ({
  Update: {
    TableName: store.tableName('Webhooks'),
    Key: idsKey(companyId),
    UpdateExpression: 'ADD webhookIds :id',
    ConditionExpression: 'attribute_not_exists(webhookIds) OR size(webhookIds) < :most',
    ExpressionAttributeValues: { ':id': new Set([webhookId]), ':most': maxWebhooksPerCompany },
  },
});

const removeId = (store: Store, companyId: string, webhookId: string): TransactItem => ({
  Update: {
    TableName: store.tableName('Webhooks'),
    Key: idsKey(companyId),
    UpdateExpression: 'DELETE webhookIds :id',
    ExpressionAttributeValues: { ':id': new Set([webhookId]) },
  },
});

const putNewWebhook = (store: Store, webhook: Webhook): TransactItem => ({
  Put: {
    TableName: store.tableName('Webhooks'),
    Item: toWebhookItem(webhook),
    ConditionExpression: 'attribute_not_exists(sk)',
  },
});

const removeWebhook = (store: Store, companyId: string, webhookId: string): TransactItem => ({
  Delete: {
    TableName: store.tableName('Webhooks'),
    Key: webhookKey(companyId, webhookId),
    ConditionExpression: 'attribute_exists(sk)',
  },
});
