import { circuitItemKey, timeProgramItemKey } from '../../../lambdas/data/appliances/appliances.ts';
import { describeGateway } from '../../../lambdas/data/appliances/descriptions.ts';
import type { FactOutcome } from '../../../lambdas/data/appliances/fact-outcome.ts';
import { reportFacts } from '../../../lambdas/data/appliances/gateway-facts.ts';
import { refuseChange } from '../../../lambdas/data/appliances/refusals.ts';
import { removeGateway } from '../../../lambdas/data/appliances/removals.ts';
import { report } from '../../../lambdas/data/appliances/reports.ts';
import type { Store } from '../../../lambdas/data/store/store.ts';
import { blockFacts, connectivityFacts } from '../../../lambdas/domain/appliances/gateway-facts.ts';
import { toldAt } from '../../support/appliance.ts';
import { below } from '../../support/random.ts';

/** What the gateway backend tells of a gateway; no two facts of one gateway have the same time. */
export type Fact = { readonly gatewayId: string; readonly atMs: number } & (
  | { readonly kind: 'described'; readonly name: string; readonly circuitIds: readonly string[] }
  | { readonly kind: 'removed' }
  | { readonly kind: 'connectivity'; readonly connectivity: 'online' | 'offline'; readonly lastSeenAtMs: number }
  | { readonly kind: 'report'; readonly item: Item; readonly value: number; readonly fulfilsVersion?: number }
  | { readonly kind: 'blocked' | 'unblocked'; readonly name: 'heatingCircuits' | 'dhwCircuits' }
  | { readonly kind: 'refused'; readonly item: Item; readonly version: number }
);

/** A circuit, or its only time program. */
export type Item = { readonly circuitId: string; readonly isProgram: boolean };

export const keyOf = (gatewayId: string, { circuitId, isProgram }: Item) =>
  isProgram
    ? timeProgramItemKey(gatewayId, 'heating', circuitId, '1')
    : circuitItemKey(gatewayId, 'heating', circuitId);

export const plate = {
  type: 'heat-pump',
  components: [],
  limits: { maxSwitchPoints: 10, maxSwitchPointsPerDay: 4, switchPointRasterMinutes: 10 },
};

const circuitIds = ['hc1', 'hc2'];

type Random = () => number;
const pick = <T>(random: Random, values: readonly T[]): T => values[below(random, values.length)] as T;

/** A gateway that comes and goes, and whose circuits do. */
export const comingAndGoing = (random: Random, gatewayId: string, timesMs: readonly number[]): Fact[] =>
  timesMs.map((atMs): Fact => {
    const base = { gatewayId, atMs };
    const roll = below(random, 20);
    if (roll < 5) {
      const listed = circuitIds.filter(() => below(random, 3) > 0);
      return { ...base, kind: 'described', name: `Home ${atMs}`, circuitIds: listed };
    }
    if (roll < 7) return { ...base, kind: 'removed' };
    return aboutState(random, base) ?? { ...base, kind: 'report', item: anItem(random), value: atMs };
  });

/** A gateway of which a change of one circuit was requested, twice; it reports, confirms and refuses. */
export const asked = (random: Random, gatewayId: string, timesMs: readonly number[]): Fact[] =>
  timesMs.map((atMs): Fact => {
    const base = { gatewayId, atMs };
    const roll = below(random, 8);
    if (roll === 0) return { ...base, kind: 'refused', item: askedItem, version: pick(random, [2, 3, 4]) };
    if (roll > 5) return { ...base, kind: 'report', item: askedItem, value: atMs };
    // The value that is desired, a version that is open, one that is past and one that nobody requested.
    if (roll === 1 && below(random, 4) === 0) return { ...base, kind: 'report', item: askedItem, value: desiredValue };
    if (roll === 2)
      return { ...base, kind: 'report', item: askedItem, value: atMs, fulfilsVersion: pick(random, [2, 2, 3, 4, 5]) };
    return aboutState(random, base) ?? { ...base, kind: 'report', item: askedItem, value: atMs };
  });

export const askedItem: Item = { circuitId: 'hc1', isProgram: false };
export const askedVersion = 3;
export const desiredValue = -1;

const anItem = (random: Random): Item => ({ circuitId: pick(random, circuitIds), isProgram: below(random, 2) === 0 });

const aboutState = (random: Random, base: { gatewayId: string; atMs: number }): Fact | undefined => {
  const roll = below(random, 6);
  const name = pick(random, ['heatingCircuits', 'dhwCircuits'] as const);
  if (roll === 0) return { ...base, kind: 'blocked', name };
  if (roll === 1) return { ...base, kind: 'unblocked', name };
  if (roll > 3) return undefined;
  const lastSeenAtMs = base.atMs - pick(random, [0, 0, 1500, 4500]);
  return { ...base, kind: 'connectivity', connectivity: pick(random, ['online', 'offline'] as const), lastSeenAtMs };
};

/** Does what the service does about a fact. */
export const tell = (store: Store, fact: Fact): Promise<FactOutcome> => {
  const { gatewayId, atMs } = fact;
  const times = toldAt(atMs);
  switch (fact.kind) {
    case 'described': {
      const circuits = fact.circuitIds.map((circuitId) => ({
        family: 'heating' as const,
        circuitId,
        timeProgramIds: ['1'],
      }));
      return describeGateway(store, { ...plate, gatewayId, name: fact.name, circuits }, times);
    }
    case 'removed':
      return removeGateway(store, gatewayId, times);
    case 'connectivity':
      return reportFacts(store, gatewayId, connectivityFacts(fact.connectivity, fact.lastSeenAtMs), times);
    case 'blocked':
      return reportFacts(store, gatewayId, blockFacts(fact.name, { sinceMs: atMs, untilMs: null }), times);
    case 'unblocked':
      return reportFacts(store, gatewayId, blockFacts(fact.name), times);
    case 'report': {
      const given = { reported: { value: fact.value }, fulfilsVersion: fact.fulfilsVersion };
      return report(store, keyOf(gatewayId, fact.item), {}, given, times);
    }
    case 'refused': {
      const refusal = { version: fact.version, reason: 'busy', detail: '' };
      return refuseChange(store, keyOf(gatewayId, fact.item), refusal, times);
    }
  }
};
