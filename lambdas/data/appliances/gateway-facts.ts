import type { FactTimes } from '../../domain/appliances/appliance.ts';
import type { ToldFacts } from '../../domain/appliances/gateway-facts.ts';
import { again, retryingFrom } from '../store/attempts.ts';
import { updateIf } from '../store/guarded-update.ts';
import type { Store } from '../store/store.ts';
import { gatewayItemKey } from './appliances.ts';
import type { FactOutcome } from './fact-outcome.ts';
import { outcomeWithoutGateway, readInventory } from './inventory-row.ts';

/** Each attempt that fails has met a newer fact, and leaves that one out. */
const atMost = 5;

/**
 * Takes over what is told of a gateway while it runs. Each fact counts for itself: if it is newer than what is stored of it, and
 * than the last removal of the gateway. Throws StoreUnavailableError.
 */
export const reportFacts = (
  store: Store,
  gatewayId: string,
  told: ToldFacts,
  times: FactTimes,
): Promise<FactOutcome> => {
  const all: Fact[] = Object.entries(told).map(([name, fact]) => [name, { ...times, ...fact }]);
  return retryingFrom(all, { to: 'change a gateway', atMost }, async (facts) => {
    const { isApplied, item } = await updateIf(store, 'Appliances', {
      Key: gatewayItemKey(gatewayId),
      ...putFacts(facts),
    });
    if (isApplied) return { outcome: 'applied' };
    if (!item) return { outcome: outcomeWithoutGateway(await readInventory(store, gatewayId), times.atMs) };
    const newer = facts.filter((fact) => isNewer(fact, item as GatewayOrder));
    return newer.length > 0 ? again(newer) : { outcome: 'stale' };
  });
};

type Fact = readonly [name: string, fact: FactTimes];

/** By what a gateway's item orders its facts. */
type GatewayOrder = { readonly removedAtMs: number; readonly facts: Readonly<Record<string, FactTimes>> };

const isNewer = ([name, { atMs }]: Fact, { removedAtMs, facts }: GatewayOrder): boolean =>
  removedAtMs < atMs && (facts[name]?.atMs ?? 0) < atMs;

/** Puts all of the facts, or none if one is not newer. */
const putFacts = (facts: readonly Fact[]) => ({
  UpdateExpression: `SET ${facts.map(([name]) => `facts.#${name} = :${name}`).join(', ')}`,
  ConditionExpression: facts
    .map(
      ([name]) =>
        `removedAtMs < :${name}AtMs AND (attribute_not_exists(facts.#${name}) OR facts.#${name}.atMs < :${name}AtMs)`,
    )
    .join(' AND '),
  ExpressionAttributeNames: Object.fromEntries(facts.map(([name]) => [`#${name}`, name])),
  ExpressionAttributeValues: Object.fromEntries(
    facts.flatMap(([name, fact]) => [
      [`:${name}`, fact],
      [`:${name}AtMs`, fact.atMs],
    ]),
  ),
});
