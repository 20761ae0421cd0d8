import { maxWebhooksPerCompany, secretOverlapHours, webhookCodeHours } from '../../api/limits.ts';
import { isSameUrl, newCode, newWebhookId, type Webhook, type WebhookSecretOf } from '../../domain/webhook.ts';
import { type AuditContext, auditPut } from '../audit.ts';
import { retrying } from '../store/attempts.ts';
import type { Store } from '../store/store.ts';
import { type TransactItem, transact } from '../store/writes.ts';
import {
  findWebhook,
  idsKey,
  owedFrom,
  readAllWebhooks,
  toWebhookItem,
  updateIfAsSeen,
  webhookKey,
} from './webhooks.ts';

type WebhookCreation =
  | { readonly outcome: 'created'; readonly webhook: Webhook; readonly secret: string }
  | { readonly outcome: 'webhook-exists'; readonly webhookId: string }
  | { readonly outcome: 'webhook-limit-reached' };

/**
 * Creates a webhook for the company of the audit context, unless it has one with this URL. The new webhook is owed a message at
 * once, with its code. Its secret is derived first, so that no webhook exists whose secret could not be returned. One
 * transaction checks that the company's webhooks are those that were read, and writes the webhook and the audit row.
 */
export const createWebhook = (
  store: Store,
  auditContext: AuditContext,
  url: string,
  secretOf: WebhookSecretOf,
): Promise<WebhookCreation> =>
  // An attempt fails if a webhook was created, which happens seldom, or deleted concurrently.
  retrying({ to: 'create a webhook', atMost: maxWebhooksPerCompany * 2 }, async () => {
    const { ids, webhooks } = await readAllWebhooks(store, auditContext.companyId);
    const same = webhooks.find((each) => isSameUrl(each.url, url));
    if (same) return { outcome: 'webhook-exists', webhookId: same.webhookId };
    if (ids.size >= maxWebhooksPerCompany) return { outcome: 'webhook-limit-reached' };
    return addWebhook(store, auditContext, { url, secretOf, seenIds: ids });
  });

type NewWebhook = {
  readonly url: string;
  readonly secretOf: WebhookSecretOf;
  readonly seenIds: ReadonlySet<string>;
};

/** Resolves to undefined if the company's webhooks have changed since they were read. */
const addWebhook = async (
  store: Store,
  auditContext: AuditContext,
  { url, secretOf, seenIds }: NewWebhook,
): Promise<WebhookCreation | undefined> => {
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
    ids: addId(store, companyId, webhookId, seenIds),
    webhook: putNewWebhook(store, webhook),
    audit: auditPut(store, auditContext, { webhookId, after: { url } }),
  });
  return failed ? undefined : { outcome: 'created', webhook, secret };
};

const firstVersion = 1;

/** A new code, and its expiry. */
const freshCode = (nowMs: number) => ({
  code: newCode(),
  codeExpiresAtMs: nowMs + webhookCodeHours * 3_600_000,
});

/** Deletes a webhook of the audit context's company. A delivery in progress does not affect that. */
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

/** The transaction item that adds a webhook to the company's set. It fails if the set has changed since it was read. */
const addId = (store: Store, companyId: string, webhookId: string, seenIds: ReadonlySet<string>): TransactItem => ({
  Update: {
    TableName: store.tableName('Webhooks'),
    Key: idsKey(companyId),
    UpdateExpression: 'ADD webhookIds :id',
    // DynamoDB removes a set that loses its last element.
    ConditionExpression: seenIds.size === 0 ? 'attribute_not_exists(webhookIds)' : 'webhookIds = :seen',
    ExpressionAttributeValues: { ':id': new Set([webhookId]), ...(seenIds.size > 0 && { ':seen': seenIds }) },
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

export type Verification =
  | { readonly outcome: 'verified' | 'code-renewed' | 'unchanged'; readonly webhook: Webhook }
  | { readonly outcome: 'webhook-not-found' | 'webhook-code-mismatch' };

/**
 * Enables a webhook if `code` is its current code, and marks it as owed a message; a repeat changes nothing. If `code` is null,
 * gives a webhook that is not enabled a new code, and marks it as owed a message.
 */
export const verifyWebhook = (
  store: Store,
  auditContext: AuditContext,
  webhookId: string,
  code: string | null,
): Promise<Verification> =>
  // Concurrent changes of the same attributes come from requests of the same company, and once from the sender.
  retrying<Verification>({ to: `verify webhook ${webhookId}`, atMost: 5 }, async () => {
    const webhook = await findWebhook(store, auditContext.companyId, webhookId);
    if (!webhook) return { outcome: 'webhook-not-found' };
    if (webhook.state === 'enabled' && (code === null || code === webhook.code))
      return { outcome: 'unchanged', webhook };
    if (code !== null && !isCurrentCode(webhook, code, auditContext.nowMs)) return { outcome: 'webhook-code-mismatch' };
    return (code === null ? renewCode : enable)(store, auditContext, webhook);
  });

/** The code of a disabled webhook is from before it was disabled, so it proves nothing now. */
const isCurrentCode = (webhook: Webhook, code: string, nowMs: number): boolean =>
  webhook.state === 'unverified' && code === webhook.code && nowMs < webhook.codeExpiresAtMs;

/** Resolves to undefined if another write was faster. */
const enable = (store: Store, auditContext: AuditContext, seen: Webhook): Promise<Verification | undefined> =>
  turn(store, auditContext, seen, {
    outcome: 'verified',
    webhook: { ...seen, state: 'enabled', verifiedAtMs: auditContext.nowMs, failures: 0 },
    changed: ['state', 'verifiedAtMs', 'failures'],
  });

const renewCode = (store: Store, auditContext: AuditContext, seen: Webhook): Promise<Verification | undefined> =>
  turn(store, auditContext, seen, {
    outcome: 'code-renewed',
    webhook: { ...seen, state: 'unverified', ...freshCode(auditContext.nowMs), failures: 0 },
    changed: ['state', 'code', 'codeExpiresAtMs', 'failures'],
  });

/** The attributes that are removed when a webhook starts over. */
const ofThePast = ['disabledAtMs', 'disabledBecause', 'failedSinceMs'] as const;

type Turn = {
  readonly outcome: 'verified' | 'code-renewed';
  readonly webhook: Webhook;
  readonly changed: readonly (keyof Webhook)[];
};

const turn = async (
  store: Store,
  auditContext: AuditContext,
  seen: Webhook,
  { outcome, webhook, changed }: Turn,
): Promise<Verification | undefined> => {
  const failed = await transact(store, {
    webhook: updateIfAsSeen(store, seen, ['state', 'code'], {
      set: Object.fromEntries(changed.map((name) => [name, webhook[name]])),
      remove: ofThePast,
      askAtMs: auditContext.nowMs,
    }),
    audit: auditPut(store, auditContext, {
      webhookId: seen.webhookId,
      before: { state: seen.state },
      after: { state: webhook.state },
    }),
  });
  if (failed) return undefined;
  const { disabledAtMs, disabledBecause, failedSinceMs, ...current } = webhook;
  return { outcome, webhook: current };
};

export type Rotation =
  | { readonly outcome: 'rotated'; readonly secret: string; readonly previousSecretUntilMs: number }
  | { readonly outcome: 'webhook-not-found' };

/**
 * Replaces the secret of a webhook; the previous one also signs for a day. The new secret is derived first, so that nothing
 * changes if it cannot be returned. Two concurrent rotations get different secrets.
 */
export const rotateWebhookSecret = async (
  store: Store,
  auditContext: AuditContext,
  webhookId: string,
  secretOf: WebhookSecretOf,
): Promise<Rotation> => {
  const { companyId, nowMs } = auditContext;
  return retrying<Rotation>({ to: `replace the secret of ${webhookId}`, atMost: 5 }, async () => {
    const seen = await findWebhook(store, companyId, webhookId);
    if (!seen) return { outcome: 'webhook-not-found' };
    const secretVersion = seen.secretVersion + 1;
    const secret = await secretOf(seen, secretVersion);
    const previousSecretUntilMs = nowMs + secretOverlapHours * 3_600_000;
    const failed = await transact(store, {
      webhook: updateIfAsSeen(store, seen, ['secretVersion'], { set: { secretVersion, previousSecretUntilMs } }),
      audit: auditPut(store, auditContext, {
        webhookId,
        before: { secretVersion: seen.secretVersion },
        after: { secretVersion },
      }),
    });
    return failed ? undefined : { outcome: 'rotated', secret, previousSecretUntilMs };
  });
};
