import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { type Ending, pokeSpacingMs, revisedEnding } from '../../domain/poke.ts';
import type { Attempt, DuePartition, Webhook } from '../../domain/webhook.ts';
import type { SendToQueue, StandardMessage } from '../senders.ts';
import { again, retryingFrom } from '../store/attempts.ts';
import { queryPartition } from '../store/reads.ts';
import type { Store } from '../store/store.ts';
import { updateIf } from '../store/writes.ts';
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

/** Longer than the function that holds it may run: whoever finds it expired is alone. */
export const leaseMs = 30_000;

export type Taking =
  | { readonly outcome: 'taken'; readonly webhook: Webhook }
  /** `soon`: the last poke was a moment ago. */
  | { readonly outcome: 'not-owed' | 'not-due' | 'leased' | 'soon' };

/**
 * Acquires the lease of a webhook that is owed a poke now. Of any number who try at once, one gets it, and the next at the
 * earliest when a poke may be sent again. Throws what the store throws.
 */
export const acquireLease = async (
  store: Store,
  { companyId, webhookId }: WebhookId,
  nowMs: number,
): Promise<Taking> => {
  const { isApplied, item } = await updateIf(store, 'Webhooks', {
    Key: webhookKey(companyId, webhookId),
    UpdateExpression: 'SET leasedUntilMs = :until, pokedAtMs = :now',
    ConditionExpression: [
      // A webhook that is owed no poke has no such time.
      'dueAt <= :at',
      '(attribute_not_exists(leasedUntilMs) OR leasedUntilMs <= :now)',
      '(attribute_not_exists(pokedAtMs) OR pokedAtMs <= :earlier)',
    ].join(' AND '),
    ExpressionAttributeValues: {
      ':at': new Date(nowMs).toISOString(),
      ':now': nowMs,
      ':until': nowMs + leaseMs,
      ':earlier': nowMs - pokeSpacingMs,
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

/** What an occasion to poke has come to; undefined if the webhook is no longer there, or somebody else has its lease. */
export type Ended = Ending | undefined;

type Occasion = {
  /** The webhook as it was when its lease was taken. */
  readonly taken: Webhook;
  readonly ending: Ending;
  readonly attempt?: Attempt | undefined;
  readonly nowMs: number;
};

/**
 * Writes down how an occasion to poke has ended, and gives the lease back. A poke that was asked for meanwhile stays owed,
 * since the condition names what was seen of it. Throws StoreUnavailableError.
 */
export const endLease = (store: Store, { taken, ending, attempt, nowMs }: Occasion): Promise<Ended> => {
  const nextMs = (taken.pokedAtMs ?? nowMs) + pokeSpacingMs;
  // Others who change the same webhook are requests of its company, its events and operators.
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

const changesOf = (seen: Webhook, ending: Ending, lastAttempt: Attempt | undefined, nowMs: number): Changes => {
  const noted = { ...(lastAttempt && { lastAttempt }) };
  if (ending.kind === 'delivered' || ending.kind === 'dropped')
    return { set: { ...noted, failures: 0 }, remove: nothingOwed };
  if (ending.kind === 'disabled') {
    const disabled = { state: 'disabled', disabledAtMs: nowMs, disabledBecause: ending.because } as const;
    return { set: { ...noted, ...disabled, failures: 0 }, remove: nothingOwed };
  }
  const { atMs, failedSinceMs } = ending;
  return failedSinceMs === undefined
    ? { set: { ...noted, ...owedFrom(seen.webhookId, atMs) }, remove: [] }
    : { set: { ...noted, ...owedFrom(seen.webhookId, atMs), failures: seen.failures + 1, failedSinceMs }, remove: [] };
};

/** What is compared: whose lease it is, and all that a request or an event may have changed. */
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

/** Queues an occasion to poke. The message says only which webhook: whether a poke is owed stands in the table. */
export type QueuePoke = (webhook: WebhookId, delayMs?: number) => Promise<void>;

/** The longest delay that SQS knows; the sweeper queues what is due later. */
export const longestDelayMs = 900_000;

/** Each company is a group, so that none whose pokes pile up holds up the others. */
export const createPokeQueue =
  (send: SendToQueue<StandardMessage>): QueuePoke =>
  ({ companyId, webhookId }, delayMs = 0) =>
    send('pokes', {
      body: JSON.stringify({ companyId, webhookId }),
      groupId: companyId,
      delaySeconds: Math.ceil(Math.min(delayMs, longestDelayMs) / 1000),
    });

/** Reads what `createPokeQueue` has written; throws if it is something else. */
export const readPokeMessage = (body: string): WebhookId => {
  const { companyId, webhookId } = JSON.parse(body);
  if (typeof companyId === 'string' && typeof webhookId === 'string') return { companyId, webhookId };
  throw new Error('A message of the queue of pokes names no webhook; expected companyId and webhookId.');
};

/** Has a poke that is owed by now sent at once. If the message is lost, the sweeper finds the webhook within a minute. */
export const pokeSoon = (queuePoke: QueuePoke, { companyId, webhookId }: WebhookId): Promise<void> =>
  queuePoke({ companyId, webhookId }).catch(() => undefined);
