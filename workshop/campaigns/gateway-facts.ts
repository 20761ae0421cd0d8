import { circuitItemKey } from '../../lambdas/data/appliances/appliances.ts';
import { reportEnergy } from '../../lambdas/data/appliances/energy.ts';
import { describeGateway, removeGateway, reportFacts } from '../../lambdas/data/appliances/gateways.ts';
import { reportHour } from '../../lambdas/data/appliances/hourly-energy.ts';
import type { FactOutcome } from '../../lambdas/data/appliances/inventory.ts';
import { reportMeasurements } from '../../lambdas/data/appliances/measurements.ts';
import { refuseChange, report } from '../../lambdas/data/appliances/reports.ts';
import { timeProgramItemKey } from '../../lambdas/data/appliances/time-programs.ts';
import type { Store } from '../../lambdas/data/store/store.ts';
import type { Fault } from '../../lambdas/domain/appliance.ts';
import { blockFacts, clearedFaultFacts, connectivityFacts, faultFacts } from '../../lambdas/domain/gateway.ts';
import { factTimesAt } from '../../test/support/appliance.ts';
import { below } from '../../test/support/random.ts';

/** An event of the gateway backend; no two facts of one gateway have the same time. */
export type Fact = { readonly gatewayId: string; readonly atMs: number } & (
  | { readonly kind: 'described'; readonly name: string; readonly circuitIds: readonly string[] }
  | { readonly kind: 'removed' }
  | { readonly kind: 'connectivity'; readonly connectivity: 'online' | 'offline'; readonly lastSeenAtMs: number }
  | { readonly kind: 'report'; readonly item: Item; readonly value: number; readonly fulfilsVersion?: number }
  | { readonly kind: 'blocked' | 'unblocked'; readonly name: 'heatingCircuits' | 'dhwCircuits' }
  | { readonly kind: 'fault'; readonly fault: FaultIds; readonly isOpen: boolean }
  | { readonly kind: 'refused'; readonly item: Item; readonly version: number }
  /** The period is a day, or an hour by its start. */
  | { readonly kind: 'energy'; readonly period: string; readonly heatKwh: number }
  | { readonly kind: 'measured'; readonly names: readonly string[] }
);

type FaultIds = Pick<Fault, 'code' | 'componentId'>;

/** A circuit, or its only time program. */
type Item = { readonly circuitId: string; readonly isProgram: boolean };

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
const measuredNames = ['burner', 'waterPressure', 'fanSpeed'];
/** Days of two months, and hours of two days. */
const periods = ['2036-02-28', '2036-02-29', '2036-03-01', '2036-03-09T23:30:00Z', '2036-03-10T00:00:00Z'];

/** One code of two components, and one code that is a property name of every object. */
const faults: readonly FaultIds[] = [
  { code: 'F.28', componentId: '1' },
  { code: 'F.28', componentId: null },
  { code: '__proto__', componentId: null },
];

type Random = () => number;
const pick = <T>(random: Random, values: readonly T[]): T => values[below(random, values.length)] as T;

/** Draws facts of a gateway that is added and removed, as are its circuits. */
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

/** Draws facts of a gateway that received two changes of one circuit: reports, confirmations and refusals. */
export const asked = (random: Random, gatewayId: string, timesMs: readonly number[]): Fact[] =>
  timesMs.map((atMs): Fact => {
    const base = { gatewayId, atMs };
    const roll = below(random, 8);
    if (roll === 0) return { ...base, kind: 'refused', item: askedItem, version: pick(random, [2, 3, 4]) };
    if (roll > 5) return { ...base, kind: 'report', item: askedItem, value: atMs };
    // The desired value; below, an open version, a past version, or a version that was never requested.
    if (roll === 1 && below(random, 4) === 0) return { ...base, kind: 'report', item: askedItem, value: desiredValue };
    if (roll === 2)
      return { ...base, kind: 'report', item: askedItem, value: atMs, fulfilsVersion: pick(random, [2, 2, 3, 4, 5]) };
    return aboutState(random, base) ?? { ...base, kind: 'report', item: askedItem, value: atMs };
  });

export const askedItem: Item = { circuitId: 'hc1', isProgram: false };
const askedVersion = 3;
export const desiredValue = -1;

const anItem = (random: Random): Item => ({ circuitId: pick(random, circuitIds), isProgram: below(random, 2) === 0 });

const aboutState = (random: Random, base: { gatewayId: string; atMs: number }): Fact | undefined => {
  const roll = below(random, 10);
  const name = pick(random, ['heatingCircuits', 'dhwCircuits'] as const);
  if (roll === 0) return { ...base, kind: 'blocked', name };
  if (roll === 1) return { ...base, kind: 'unblocked', name };
  if (roll > 7) return undefined;
  if (roll > 5) return { ...base, kind: 'fault', fault: pick(random, faults), isOpen: below(random, 2) === 0 };
  if (roll === 5) return { ...base, kind: 'measured', names: measuredNames.filter(() => below(random, 2) === 0) };
  if (roll > 3) return { ...base, kind: 'energy', period: pick(random, periods), heatKwh: base.atMs % 100_000 };
  const lastSeenAtMs = base.atMs - pick(random, [0, 0, 1500, 4500]);
  return { ...base, kind: 'connectivity', connectivity: pick(random, ['online', 'offline'] as const), lastSeenAtMs };
};

/** Applies a fact as the service does. */
export const applyFact = (store: Store, fact: Fact): Promise<FactOutcome> => {
  const { gatewayId, atMs } = fact;
  const times = factTimesAt(atMs);
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
    case 'fault': {
      const reported = { ...fact.fault, severity: 'fault', text: String(atMs), sinceMs: null };
      return reportFacts(store, gatewayId, fact.isOpen ? faultFacts(reported) : clearedFaultFacts(fact.fault), times);
    }
    case 'report': {
      const given = { reported: { value: fact.value }, fulfilsVersion: fact.fulfilsVersion };
      return report(store, keyOf(gatewayId, fact.item), given, times);
    }
    case 'energy': {
      const { period, heatKwh } = fact;
      return period.includes('T')
        ? reportHour(store, gatewayId, { start: period, heating: { heatKwh } }, times)
        : reportEnergy(store, gatewayId, { day: period, heating: { heatKwh } }, times);
    }
    case 'measured': {
      const measured = Object.fromEntries(fact.names.map((name) => [`${name}\n`, { atMs }]));
      return reportMeasurements(store, gatewayId, measured, times);
    }
    case 'refused': {
      const refusal = { version: fact.version, reason: 'busy', detail: '' };
      return refuseChange(store, keyOf(gatewayId, fact.item), refusal, times);
    }
  }
};

type GatewayState = {
  name: string;
  describedAtMs: number;
  connectivity: 'online' | 'offline';
  /** Not later than the last removal if the gateway was not seen since. */
  lastSeenAtMs: number;
  removedAtMs: number;
  blocks: Record<string, { sinceMs: number; untilMs: null }>;
  /** Newest first. */
  faults: Fault[];
};

type ItemState = {
  value: number;
  reportedAtMs: number;
  /** Whether the requested change is open, and when it was last refused. */
  isPending: boolean;
  refusedAtMs?: number;
};

/** The state of a gateway. Nothing here compares times: the facts come in order. */
export type State = {
  gateway: GatewayState | undefined;
  items: Record<string, ItemState>;
  /** The heat of each day and hour. */
  energy: Record<string, number>;
  /** When each was measured. */
  measured: Record<string, number>;
};

/**
 * Returns the states in which the orders of arrival may end: that in the order of the times, and one that differs if an older
 * report shows a change without its version. Such a report confirms the change in the orders in which no newer report was
 * faster. A report with the version, and the newest report, confirm it in every order.
 */
export const possibleStates = (facts: readonly Fact[], begin: State): readonly State[] => {
  const newestMs = Math.max(...facts.map((fact) => (fact.kind === 'report' ? fact.atMs : 0)));
  const isOvertaken = (fact: Fact) =>
    fact.kind === 'report' && fact.value === desiredValue && fact.fulfilsVersion === undefined && fact.atMs < newestMs;
  return [facts, facts.filter((fact) => !isOvertaken(fact))].map((each) => fold(each, begin));
};

/**
 * Returns the state after each fact has arrived once, in the order of the times. A fact of a missing gateway or item waits for
 * the next description. It is lost if a removal comes first or if the description does not list it.
 */
export const fold = (facts: readonly Fact[], begin: State): State => {
  const state = structuredClone(begin);
  let waiting: Fact[] = [];
  let removedAtMs = 0;
  for (const fact of facts.toSorted((one, other) => one.atMs - other.atMs))
    if (fact.kind === 'removed') {
      state.gateway = undefined;
      state.items = {};
      state.energy = {};
      state.measured = {};
      waiting = [];
      removedAtMs = fact.atMs;
    } else if (fact.kind === 'described') {
      const listed = fact.circuitIds.flatMap((circuitId) =>
        [false, true].map((isProgram) => keyOf(fact.gatewayId, { circuitId, isProgram }).sk),
      );
      const { name, atMs: describedAtMs } = fact;
      state.gateway ??= {
        blocks: {},
        faults: [],
        ...initial,
        name,
        describedAtMs,
        lastSeenAtMs: removedAtMs,
        removedAtMs,
      };
      Object.assign(state.gateway, { name, describedAtMs });
      state.items = Object.fromEntries(Object.entries(state.items).filter(([sk]) => listed.includes(sk)));
      const isLost = (each: Fact) => each.kind === 'report' && !listed.includes(keyOf(each.gatewayId, each.item).sk);
      for (const each of waiting) if (!isLost(each)) apply(state, state.gateway, each);
      waiting = [];
    } else if (state.gateway) apply(state, state.gateway, fact);
    else waiting.push(fact);
  return state;
};

const initial = { connectivity: 'offline' as const };

const apply = ({ items, energy, measured }: State, gateway: GatewayState, fact: Fact): void => {
  switch (fact.kind) {
    case 'energy':
      energy[fact.period] = fact.heatKwh;
      break;
    case 'measured':
      for (const name of fact.names) measured[name] = fact.atMs;
      break;
    case 'connectivity':
      gateway.connectivity = fact.connectivity;
      gateway.lastSeenAtMs = Math.max(gateway.lastSeenAtMs, fact.lastSeenAtMs);
      break;
    case 'blocked':
      gateway.blocks[fact.name] = { sinceMs: fact.atMs, untilMs: null };
      break;
    case 'unblocked':
      delete gateway.blocks[fact.name];
      break;
    case 'fault': {
      const { fault, isOpen } = fact;
      const isOther = ({ code, componentId }: FaultIds) => code !== fault.code || componentId !== fault.componentId;
      const reported = { ...fault, severity: 'fault', text: String(fact.atMs), sinceMs: fact.atMs };
      gateway.faults = [...(isOpen ? [reported] : []), ...gateway.faults.filter(isOther)];
      break;
    }
    case 'report':
      takeReport(items, fact);
      break;
    case 'refused': {
      const item = items[keyOf(fact.gatewayId, fact.item).sk];
      if (item?.isPending && fact.version === askedVersion) item.refusedAtMs = fact.atMs;
    }
  }
};

const takeReport = (items: State['items'], { gatewayId, item, value, atMs, fulfilsVersion }: ReportFact) => {
  const key = keyOf(gatewayId, item).sk;
  const known = items[key] ?? { isPending: false };
  const isFulfilled = fulfilsVersion === undefined ? value === desiredValue : fulfilsVersion === askedVersion;
  const change = isFulfilled ? { isPending: false } : known;
  items[key] = { ...change, value, reportedAtMs: atMs };
};

type ReportFact = Fact & { readonly kind: 'report' };

/** Returns what a read of the gateway shows in that state. */
export const shown = (gatewayId: string, { gateway, items, energy, measured }: State) => ({
  gateway: gateway && {
    gatewayId,
    ...plate,
    name: gateway.name,
    connectivity: gateway.connectivity,
    blocks: gateway.blocks,
    faults: gateway.faults,
    features: [],
    timeZone: null,
    circuitLimits: {},
    circulations: {},
    lastSeenAtMs: gateway.lastSeenAtMs > gateway.removedAtMs ? gateway.lastSeenAtMs : gateway.describedAtMs,
  },
  items,
  energy,
  measured,
});
