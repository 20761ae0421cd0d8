import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Attempt } from '../../domain/webhooks/delivery.ts';
import { type Ending, revisedEnding } from '../../domain/webhooks/ending.ts';
import { pokeSpacingMs } from '../../domain/webhooks/retries.ts';
import type { Webhook } from '../../domain/webhooks/webhook.ts';
import type { Store } from '../store/store.ts';
import { StoreUnavailableError } from '../store/store-errors.ts';
import { itemOf } from './leases.ts';
import { owedFrom, webhookKey } from './webhooks.ts';

/** Others who change the same webhook are requests of its company, its events and operators. */
const maxTries = 10;

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
export const endLease = async (store: Store, { taken, ending, attempt, nowMs }: Occasion): Promise<Ended> => {
  let [seen, current] = [taken, ending];
  const nextMs = (taken.pokedAtMs ?? nowMs) + pokeSpacingMs;
  for (let tries = 0; tries < maxTries; tries++) {
    const found = await update(store, seen, changesOf(seen, current, attempt, nowMs));
    if (found === 'written') return current;
    if (!found || found.leasedUntilMs !== taken.leasedUntilMs) return undefined;
    seen = found;
    current = revisedEnding(ending, taken, found, nextMs);
  }
  throw new StoreUnavailableError(`Webhook ${taken.webhookId} changed under ${maxTries} attempts to end its lease.`);
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

/** The webhook as it is if it is no longer as it was seen; undefined if it is gone. */
const update = async (store: Store, seen: Webhook, { set, remove }: Changes) => {
  const removed = ['leasedUntilMs', ...remove];
  const names = [...new Set([...Object.keys(set), ...removed, ...compared])];
  const command = new UpdateCommand({
    TableName: store.tableName('Webhooks'),
    Key: webhookKey(seen.companyId, seen.webhookId),
    UpdateExpression:
      `SET ${Object.keys(set)
        .map((name) => `#${name} = :${name}`)
        .join(', ')} ` + `REMOVE ${removed.map((name) => `#${name}`).join(', ')}`,
    ConditionExpression: compared.map((name) => `#${name} = :seen_${name}`).join(' AND '),
    ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
    ExpressionAttributeValues: {
      ...Object.fromEntries(Object.entries(set).map(([name, value]) => [`:${name}`, value])),
      ...Object.fromEntries(compared.map((name) => [`:seen_${name}`, seen[name]])),
    },
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  try {
    await store.send(command);
    return 'written' as const;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return itemOf(error);
  }
};
