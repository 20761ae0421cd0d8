import { PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { attemptDays } from '../../api/limits.ts';
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

/** A position in the list of attempts: the time and the random text of the sort key. */
export const attemptPositionPattern = /^[\d.:TZ-]{24}#[0-9A-Za-z]{8}$/;

export const attemptPositionOf = ({ sk }: StoredAttempt): string => sk.slice(sk.indexOf('#') + 1);

/** An attempt with its sort key, which is unique within its company. */
type StoredAttempt = ListedAttempt & { readonly sk: string };

type AttemptsPage = {
  readonly nowMs: number;
  readonly limit: number;
  /** The position at which the previous page ended. */
  readonly after?: string | undefined;
};

/**
 * Returns a page of the attempts of a webhook that are still kept, newest first; `next` is the position to continue after.
 * DynamoDB deletes expired items late.
 */
export const readAttempts = async (
  store: Store,
  { companyId, webhookId }: WebhookId,
  { nowMs, limit, after }: AttemptsPage,
): Promise<{ readonly attempts: readonly StoredAttempt[]; readonly next: string | undefined }> => {
  const since = textOf(nowMs - keptMs);
  // DynamoDB rejects a start before the first key of the range.
  if (after !== undefined && after < since) return { attempts: [], next: undefined };
  const { Items = [], LastEvaluatedKey } = await store.send(
    new QueryCommand({
      TableName: store.tableName('WebhookAttempts'),
      KeyConditionExpression: 'companyId = :companyId AND sk BETWEEN :from AND :to',
      ExpressionAttributeValues: {
        ':companyId': companyId,
        ':from': `${webhookId}#${since}`,
        // After all times.
        ':to': `${webhookId}#~`,
      },
      ScanIndexForward: false,
      Limit: limit,
      ...(after !== undefined && { ExclusiveStartKey: { companyId, sk: `${webhookId}#${after}` } }),
    }),
  );
  const attempts = Items as StoredAttempt[];
  const last = attempts.at(-1);
  return { attempts, next: LastEvaluatedKey && last && attemptPositionOf(last) };
};
