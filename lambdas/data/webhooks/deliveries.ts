import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { DuePartition, Webhook, WebhookId } from '../../domain/webhook.ts';
import { type Ending, messageSpacingMs, revisedEnding } from '../../domain/webhook-message.ts';
import { again, retryingFrom } from '../store/attempts.ts';
import { queryPartition } from '../store/reads.ts';
import type { Store } from '../store/store.ts';
import { updateIf } from '../store/writes.ts';
import { owedFrom, toWebhook, webhookIdOf, webhookKey, webhookPrefix } from './webhooks.ts';

/**
 * Marks every enabled webhook of a company as owed a message, and returns those that are due now, to be queued. Call it after
 * writing what the partner is to read. A failing webhook keeps the time of its next attempt. A repeat does no harm.
 */
export const oweMessages = async (store: Store, companyId: string, nowMs: number): Promise<WebhookId[]> => {
  const { items } = await queryPartition(store, 'Webhooks', { partition: companyId, prefix: webhookPrefix });
  const enabled = items.map(toWebhook).filter(({ state }) => state === 'enabled');
  const due = await Promise.all(enabled.map((webhook) => oweMessage(store, webhook, nowMs)));
  return due.flat();
};

/** Returns the webhook if it is due now; nothing if it is failing, or was disabled or deleted concurrently. */
const oweMessage = async (store: Store, { companyId, webhookId }: WebhookId, nowMs: number) => {
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

/** An entry of the index: a webhook that is owed a message. It may lag a moment behind. */
export type DueMessage = WebhookId & { readonly dueAt: string };

/** Yields the webhooks of a partition whose message is due, the longest overdue first, page by page. */
export async function* dueMessages(
  store: Store,
  due: DuePartition,
  nowMs: number,
): AsyncGenerator<readonly DueMessage[]> {
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

/** Longer than the function that holds the lease can run: when it has expired, the holder has ended. */
const leaseMs = 30_000;

export type Taking =
  | { readonly outcome: 'taken'; readonly webhook: Webhook }
  /** `soon`: the minimum time between two messages has not passed yet. */
  | { readonly outcome: 'not-owed' | 'not-due' | 'leased' | 'soon' };

/**
 * Acquires the lease of a webhook whose message is due. Only one of several concurrent callers gets it, and the next one not
 * before another message may be sent: `messageSpacingMs` after the last one was sent, or after a lease whose holder was stopped.
 */
export const acquireLease = async (
  store: Store,
  { companyId, webhookId }: WebhookId,
  nowMs: number,
): Promise<Taking> => {
  const { isApplied, item } = await updateIf(store, 'Webhooks', {
    Key: webhookKey(companyId, webhookId),
    UpdateExpression: 'SET leasedUntilMs = :until',
    ConditionExpression: [
      // A webhook that is owed no message has no `dueAt`.
      'dueAt <= :at',
      '(attribute_not_exists(leasedUntilMs) OR leasedUntilMs <= :now)',
      '(attribute_not_exists(lastSentAtMs) OR lastSentAtMs <= :earlier)',
    ].join(' AND '),
    ExpressionAttributeValues: {
      ':at': new Date(nowMs).toISOString(),
      ':now': nowMs,
      ':until': nowMs + leaseMs,
      ':earlier': nowMs - messageSpacingMs,
    },
  });
  return isApplied
    ? { outcome: 'taken', webhook: toWebhook(item) }
    : { outcome: refusalOf(item && toWebhook(item), nowMs) };
};

const refusalOf = (webhook: Webhook | undefined, nowMs: number): Exclude<Taking['outcome'], 'taken'> => {
  if (!webhook?.due || webhook.dueAt === undefined) return 'not-owed';
  if (Date.parse(webhook.dueAt) > nowMs) return 'not-due';
  return (webhook.leasedUntilMs ?? 0) > nowMs ? 'leased' : 'soon';
};

/** The outcome of a delivery; undefined if the webhook was deleted, or another caller has its lease. */
export type Ended = Ending | undefined;

type Occasion = {
  /** The webhook as it was when its lease was taken. */
  readonly taken: Webhook;
  readonly ending: Ending;
  /** `lastSentAtMs` is when it was sent, which may be long after the lease. */
  readonly attempt?: Required<Pick<Webhook, 'lastAttempt' | 'lastSentAtMs'>> | undefined;
  readonly nowMs: number;
};

/**
 * Stores the outcome of a delivery, and releases the lease. A message that was requested meanwhile stays owed, because the
 * condition compares what was read.
 */
export const endLease = (store: Store, { taken, ending, attempt, nowMs }: Occasion): Promise<Ended> => {
  const nextMs = attempt ? attempt.lastSentAtMs + messageSpacingMs : nowMs;
  // Concurrent changes of a webhook come from requests of its company, its events and operators.
  const attempts = { to: `end the lease of webhook ${taken.webhookId}`, atMost: 10 };
  return retryingFrom(taken, attempts, async (seen) => {
    const current = seen === taken ? ending : revisedEnding(ending, taken, seen, nextMs);
    const change = asUpdate(seen, changesOf(seen, current, attempt, nowMs));
    const { isApplied, item } = await updateIf(store, 'Webhooks', change);
    if (isApplied) return current;
    const found = item && toWebhook(item);
    return found && found.leasedUntilMs === taken.leasedUntilMs ? again(found) : undefined;
  });
};

type Changes = { readonly set: Partial<Webhook>; readonly remove: readonly (keyof Webhook)[] };

const nothingOwed = ['due', 'dueAt', 'failedSinceMs'] as const;

const changesOf = (seen: Webhook, ending: Ending, attempt: Occasion['attempt'], nowMs: number): Changes => {
  if (ending.kind === 'delivered' || ending.kind === 'dropped')
    return { set: { ...attempt, failures: 0 }, remove: nothingOwed };
  if (ending.kind === 'disabled') {
    const disabled = { state: 'disabled', disabledAtMs: nowMs, disabledBecause: ending.because } as const;
    return { set: { ...attempt, ...disabled, failures: 0 }, remove: nothingOwed };
  }
  const { atMs, failedSinceMs } = ending;
  return failedSinceMs === undefined
    ? { set: { ...attempt, ...owedFrom(seen.webhookId, atMs) }, remove: [] }
    : {
        set: { ...attempt, ...owedFrom(seen.webhookId, atMs), failures: seen.failures + 1, failedSinceMs },
        remove: [],
      };
};

/** The attributes that the condition compares: the lease, and everything that a request or an event may have changed. */
const compared = ['leasedUntilMs', 'asked', 'state', 'code'] as const;

const asUpdate = (seen: Webhook, { set, remove }: Changes) => {
  const removed = ['leasedUntilMs', ...remove];
  const names = [...new Set([...Object.keys(set), ...removed, ...compared])];
  const setting = Object.keys(set).map((name) => `#${name} = :${name}`);
  return {
    Key: webhookKey(seen.companyId, seen.webhookId),
    UpdateExpression: `SET ${setting.join(', ')} REMOVE ${removed.map((name) => `#${name}`).join(', ')}`,
    ConditionExpression: compared.map((name) => `#${name} = :seen_${name}`).join(' AND '),
    ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
    ExpressionAttributeValues: {
      ...Object.fromEntries(Object.entries(set).map(([name, value]) => [`:${name}`, value])),
      ...Object.fromEntries(compared.map((name) => [`:seen_${name}`, seen[name]])),
    },
  };
};
