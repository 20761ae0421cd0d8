import { PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { attemptDays, shownAttempts } from '../../api/limits.ts';
import { randomBase62 } from '../../domain/encoding.ts';
import type { WebhookId } from '../../domain/webhook.ts';
import type { ListedAttempt } from '../../domain/webhook-message.ts';
import type { Store } from '../store/store.ts';

/**
 * One item per attempt to send a message, in the partition of its company: `<webhookId>#<time>#<random>`. No item is ever
 * changed, so concurrent senders need no condition, and an attempt of the same millisecond has a key of its own. Items of a
 * deleted webhook expire like all others: ids of webhooks are not reused.
 */
const keyOf = ({ companyId, webhookId }: WebhookId, atMs: number) => ({
  companyId,
  sk: `${webhookId}#${textOf(atMs)}#${randomBase62(8)}`,
});

/** RFC 3339, UTC, with milliseconds, so that texts sort in the order of time. */
const textOf = (atMs: number): string => new Date(atMs).toISOString();

const keptMs = attemptDays * 86_400_000;

export const putAttempt = async (store: Store, webhook: WebhookId, attempt: ListedAttempt): Promise<void> => {
  const removeAt = Math.ceil((attempt.atMs + keptMs) / 1000);
  const Item = { ...keyOf(webhook, attempt.atMs), ...attempt, removeAt };
  await store.send(new PutCommand({ TableName: store.tableName('WebhookAttempts'), Item }));
};

/** Returns the last attempts of a webhook that are still kept, newest first. DynamoDB deletes expired items late. */
export const readAttempts = async (
  store: Store,
  { companyId, webhookId }: WebhookId,
  nowMs: number,
): Promise<readonly ListedAttempt[]> => {
  const { Items = [] } = await store.send(
    new QueryCommand({
      TableName: store.tableName('WebhookAttempts'),
      KeyConditionExpression: 'companyId = :companyId AND sk BETWEEN :from AND :to',
      ExpressionAttributeValues: {
        ':companyId': companyId,
        ':from': `${webhookId}#${textOf(nowMs - keptMs)}`,
        // After all times.
        ':to': `${webhookId}#~`,
      },
      ScanIndexForward: false,
      Limit: shownAttempts,
    }),
  );
  return Items as ListedAttempt[];
};
