import { maxWebhooksPerCompany } from '../../lambdas/api/limits.ts';
import { auditPut } from '../../lambdas/data/audit/audit-log.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import { type TransactItem, transact } from '../../lambdas/data/store/transaction.ts';
import { idsKey, listWebhooks, toWebhook, toWebhookItem, webhookKey } from '../../lambdas/data/webhooks/webhooks.ts';
import type { Webhook } from '../../lambdas/domain/webhooks/webhook.ts';
import { type CopyTools, type DecideOnRow, type RowPair, same } from './row-copy.ts';

/**
 * Decides on a row of Webhooks: one that is there is newer, since pokes are written down without an audit row; one that was
 * deleted on record stays deleted, one that an operator disabled stays disabled, and three stay the most. The set of ids
 * follows from the webhooks that are there.
 */
export const decideOnWebhook = async (tools: CopyTools, { restored, own }: RowPair): ReturnType<DecideOnRow> => {
  const companyId = String(restored.companyId);
  const isIds = restored.sk === idsKey('').sk;
  // A set that is empty is no attribute.
  if (own && !(isIds && own.webhookIds === undefined)) return same;
  const { webhooks: there } = await listWebhooks(tools.store, companyId, maxWebhooksPerCompany);
  if (isIds) return there.length === 0 ? same : () => putBackIds(tools, companyId, there);

  const webhook = toWebhook(restored);
  const recorded = (await tools.records.of(companyId)).webhooks.get(webhook.webhookId);
  const what = `webhook ${webhook.webhookId} of ${companyId}`;
  if (recorded?.isDeleted) return { kind: 'left', what, why: 'deleted on record' };
  if (there.length >= maxWebhooksPerCompany) return { kind: 'left', what, why: 'three other webhooks are there' };
  return () => putBack(tools, disabledSince(withNewerSecret(webhook, recorded?.secretVersion), recorded?.disabledAtMs));
};

/** A secret that was replaced on record stays replaced, and does not sign along. */
const withNewerSecret = (webhook: Webhook, recorded = webhook.secretVersion): Webhook => {
  if (recorded <= webhook.secretVersion) return webhook;
  const { previousSecretUntilMs, ...others } = webhook;
  return { ...others, secretVersion: recorded };
};

/** One that an operator disabled on record stays disabled. */
const disabledSince = (webhook: Webhook, disabledAtMs: number | undefined): Webhook => {
  if (disabledAtMs === undefined || webhook.state === 'disabled') return webhook;
  const { due, dueAt, failedSinceMs, ...others } = webhook;
  return { ...others, state: 'disabled', disabledAtMs, disabledBecause: 'operator', failures: 0 };
};

const putBack = async ({ store, auditContext }: CopyTools, webhook: Webhook): Promise<boolean> => {
  const { companyId, webhookId } = webhook;
  return !(await transact(store, {
    ids: takeOwnPlace(store, companyId, webhookId),
    webhook: {
      Put: {
        TableName: store.tableName('Webhooks'),
        Item: toWebhookItem(webhook),
        ConditionExpression: 'attribute_not_exists(sk)',
      },
    },
    audit: auditPut(store, await auditContext(companyId), { webhookId }),
  }));
};

/** Takes a place for a webhook whose id may be in the set already. */
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

/** One that is deleted meanwhile takes no place any more. */
const putBackIds = async (
  { store, auditContext }: CopyTools,
  companyId: string,
  webhooks: readonly Webhook[],
): Promise<boolean> => {
  const checks = webhooks.map(({ webhookId }) => [webhookId, webhookExists(store, companyId, webhookId)] as const);
  return !(await transact<string>(store, {
    ...Object.fromEntries(checks),
    ids: {
      Put: {
        TableName: store.tableName('Webhooks'),
        Item: { ...idsKey(companyId), webhookIds: new Set(webhooks.map(({ webhookId }) => webhookId)) },
        ConditionExpression: 'attribute_not_exists(webhookIds)',
      },
    },
    audit: auditPut(store, await auditContext(companyId), { row: idsKey(companyId).sk }),
  }));
};

const webhookExists = (store: Store, companyId: string, webhookId: string): TransactItem => ({
  ConditionCheck: {
    TableName: store.tableName('Webhooks'),
    Key: webhookKey(companyId, webhookId),
    ConditionExpression: 'attribute_exists(sk)',
  },
});
