import { pokeSpacingMs } from '../../domain/webhooks/retries.ts';
import type { Webhook } from '../../domain/webhooks/webhook.ts';
import { updateIf } from '../store/guarded-update.ts';
import type { Store } from '../store/store.ts';
import type { WebhookId } from './secrets.ts';
import { toWebhook, webhookKey } from './webhooks.ts';

/** Longer than the function that holds it may run: whoever finds it expired is alone. */
export const leaseMs = 30_000;

export type Taking =
  | { readonly outcome: 'taken'; readonly webhook: Webhook }
  /** `soon`: the last poke was a moment ago. */
  | { readonly outcome: 'not-owed' | 'not-due' | 'leased' | 'soon' };

/**
 * Takes the lease of a webhook that is owed a poke now. Of any number who try at once, one gets it, and the next at the
 * earliest when a poke may be sent again. Throws what the store throws.
 */
export const takeLease = async (store: Store, { companyId, webhookId }: WebhookId, nowMs: number): Promise<Taking> => {
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
