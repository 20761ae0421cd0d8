import type { Attempt } from '../../domain/webhooks/delivery.ts';
import { type Ending, revisedEnding } from '../../domain/webhooks/ending.ts';
import { pokeSpacingMs } from '../../domain/webhooks/retries.ts';
import type { Webhook } from '../../domain/webhooks/webhook.ts';
import { again, retryingFrom } from '../store/attempts.ts';
import { updateIf } from '../store/guarded-update.ts';
import type { Store } from '../store/store.ts';
import { owedFrom, toWebhook, webhookKey } from './webhooks.ts';

/** Others who change the same webhook are requests of its company, its events and operators. */
const atMost = 10;

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
  const attempts = { to: `end the lease of webhook ${taken.webhookId}`, atMost };
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
