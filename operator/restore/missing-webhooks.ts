import { maxWebhooksPerCompany } from '../../lambdas/api/limits.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import type { TransactItem } from '../../lambdas/data/store/writes.ts';
import { idsKey, listWebhooks, toWebhook, toWebhookItem, webhookKey } from '../../lambdas/data/webhooks/webhooks.ts';
import type { Webhook } from '../../lambdas/domain/webhook.ts';
import { type CopyTools, type DecideOnMissing, notCopied, putBack, putMissing, same } from './row-copy.ts';

/**
 * The rule of Webhooks. A webhook that was deleted or that an operator disabled since, according to the audit log, remains
 * deleted or disabled; three webhooks are the limit. A missing set of ids is rebuilt from the existing webhooks.
 */
export const decideOnMissingWebhook: DecideOnMissing = async (tools, restored) => {
  const companyId = String(restored.companyId);
  const { webhooks: there } = await listWebhooks(tools.store, companyId, maxWebhooksPerCompany);
  if (restored.sk === idsKey('').sk) return there.length === 0 ? same : lostIds(tools, companyId, there);

  const webhook = toWebhook(restored);
  const { webhookId } = webhook;
  const recorded = (await tools.records.of(companyId)).webhooks.get(webhookId);
  const what = `webhook ${webhookId} of ${companyId}`;
  if (recorded?.isDeleted) return notCopied(what, 'deleted according to AuditLog');
  if (there.length >= maxWebhooksPerCompany) return notCopied(what, 'three other webhooks exist');
  const row = toWebhookItem(disabledSince(withNewerSecret(webhook, recorded?.secretVersion), recorded?.disabledAtMs));
  return putBack(tools, {
    subject: companyId,
    onRecord: { webhookId },
    items: {
      ids: takeOwnPlace(tools.store, companyId, webhookId),
      webhook: putMissing(tools.store, 'Webhooks', row),
    },
  });
};

/** Applies the newest secret version of the audit log. The replaced secret no longer signs. */
const withNewerSecret = (webhook: Webhook, recorded = webhook.secretVersion): Webhook => {
  if (recorded <= webhook.secretVersion) return webhook;
  const { previousSecretUntilMs, ...others } = webhook;
  return { ...others, secretVersion: recorded };
};

/** Disables a webhook that an operator disabled according to the audit log. */
const disabledSince = (webhook: Webhook, disabledAtMs: number | undefined): Webhook => {
  if (disabledAtMs === undefined || webhook.state === 'disabled') return webhook;
  const { due, dueAt, failedSinceMs, ...others } = webhook;
  return { ...others, state: 'disabled', disabledAtMs, disabledBecause: 'operator', failures: 0 };
};

/** Adds the id of a webhook to the set, if it is not full. The id may be in the set already. */
const takeOwnPlace = (store: Store, companyId: string, webhookId: string): TransactItem => ({
  Update: {
    TableName: store.tableName('Webhooks'),
    Key: idsKey(companyId),
    UpdateExpression: 'ADD webhookIds :ids',
    ConditionExpression:
      'attribute_not_exists(webhookIds) OR size(webhookIds) < :most OR contains(webhookIds, :webhookId)',
    ExpressionAttributeValues: {
      ':ids': new Set([webhookId]),
      ':webhookId': webhookId,
      ':most': maxWebhooksPerCompany,
    },
  },
});

/** Puts back the set of ids. Checks that each webhook still exists, so that the set lists no webhook deleted meanwhile. */
const lostIds = (tools: CopyTools, companyId: string, webhooks: readonly Webhook[]) => {
  const { store } = tools;
  const ids = webhooks.map(({ webhookId }) => webhookId);
  return putBack(tools, {
    subject: companyId,
    onRecord: { row: idsKey(companyId).sk },
    items: {
      ...Object.fromEntries(ids.map((webhookId) => [webhookId, webhookExists(store, companyId, webhookId)])),
      ids: {
        Put: {
          TableName: store.tableName('Webhooks'),
          Item: { ...idsKey(companyId), webhookIds: new Set(ids) },
          ConditionExpression: 'attribute_not_exists(webhookIds)',
        },
      },
    },
  });
};

const webhookExists = (store: Store, companyId: string, webhookId: string): TransactItem => ({
  ConditionCheck: {
    TableName: store.tableName('Webhooks'),
    Key: webhookKey(companyId, webhookId),
    ConditionExpression: 'attribute_exists(sk)',
  },
});
