import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { DuePartition } from '../../domain/webhooks/delivery.ts';
import { updateIf } from '../store/guarded-update.ts';
import { queryPartition } from '../store/partition-query.ts';
import type { Store } from '../store/store.ts';
import type { WebhookId } from './secrets.ts';
import { owedFrom, toWebhook, webhookIdOf, webhookKey, webhookPrefix } from './webhooks.ts';

/**
 * Owes a poke to every enabled webhook of a company, and gives those to queue. Call it when what the partner is to read is
 * written. A webhook that is failing keeps the time of its next attempt. Throws what the store throws; a repeat does no harm.
 */
export const owePokes = async (store: Store, companyId: string, nowMs: number): Promise<WebhookId[]> => {
  const { items } = await queryPartition(store, 'Webhooks', companyId, webhookPrefix);
  const enabled = items.map(toWebhook).filter(({ state }) => state === 'enabled');
  const due = await Promise.all(enabled.map((webhook) => owePoke(store, webhook, nowMs)));
  return due.flat();
};

/** Gives the webhook if it is due now; not if it is failing, or was disabled or deleted meanwhile. */
const owePoke = async (store: Store, { companyId, webhookId }: WebhookId, nowMs: number) => {
  const { due, dueAt: at } = owedFrom(webhookId, nowMs);
  const { isApplied, item } = await updateIf(store, 'Webhooks', {
    Key: webhookKey(companyId, webhookId),
    UpdateExpression: 'SET due = :due, dueAt = if_not_exists(dueAt, :at), asked = asked + :one',
    ConditionExpression: '#state = :enabled',
    ExpressionAttributeNames: { '#state': 'state' },
    ExpressionAttributeValues: { ':due': due, ':at': at, ':one': 1, ':enabled': 'enabled' },
  });
  return isApplied && String(item.dueAt) <= at ? [{ companyId, webhookId }] : [];
};

/** What the index tells of a webhook that is owed a poke; it may be a moment old. */
export type DuePoke = WebhookId & { readonly dueAt: string };

/** The webhooks of a partition whose poke has come due, the longest overdue first, page by page. */
export async function* duePokes(store: Store, due: DuePartition, nowMs: number): AsyncGenerator<readonly DuePoke[]> {
  let after: Record<string, unknown> | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await store.send(
      new QueryCommand({
        TableName: store.tableName('Webhooks'),
        IndexName: 'byDue',
        KeyConditionExpression: 'due = :due AND dueAt <= :at',
        ExpressionAttributeValues: { ':due': due, ':at': new Date(nowMs).toISOString() },
        ExclusiveStartKey: after,
      }),
    );
    yield Items.map(({ companyId, sk, dueAt }) => ({ companyId, webhookId: webhookIdOf(sk), dueAt }));
    after = LastEvaluatedKey;
  } while (after);
}
