import { askedVersion, desiredValue, type Fact, keyOf, plate } from './facts.ts';

export type GatewayState = {
  name: string;
  describedAtMs: number;
  connectivity: 'online' | 'offline';
  /** Not later than its last removal if it was not seen since. */
  lastSeenAtMs: number;
  removedAtMs: number;
  blocks: Record<string, { sinceMs: number; untilMs: null }>;
};

export type ItemState = {
  value: number;
  reportedAtMs: number;
  /** Whether the requested change is open, and the time of its newest refusal. */
  isPending: boolean;
  refusedAtMs?: number;
};

/** What there is of a gateway. Nothing here compares times: the facts come in their order. */
export type State = { gateway: GatewayState | undefined; items: Record<string, ItemState> };

/**
 * What a gateway's facts come to if each arrives once, in the order of their times. What is told of a gateway that is not
 * there waits for its next description, and is lost if a removal comes first or if the description does not list it.
 */
export const fold = (facts: readonly Fact[], begin: State): State => {
  const state = structuredClone(begin);
  let waiting: Fact[] = [];
  let removedAtMs = 0;
  for (const fact of facts.toSorted((one, other) => one.atMs - other.atMs))
    if (fact.kind === 'removed') {
      state.gateway = undefined;
      state.items = {};
      waiting = [];
      removedAtMs = fact.atMs;
    } else if (fact.kind === 'described') {
      const listed = fact.circuitIds.flatMap((circuitId) =>
        [false, true].map((isProgram) => keyOf(fact.gatewayId, { circuitId, isProgram }).sk),
      );
      const { name, atMs: describedAtMs } = fact;
      state.gateway ??= { ...initial, name, describedAtMs, lastSeenAtMs: removedAtMs, removedAtMs, blocks: {} };
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

const apply = ({ items }: State, gateway: GatewayState, fact: Fact): void => {
  switch (fact.kind) {
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
  if (fulfilsVersion !== undefined && fulfilsVersion > askedVersion) return;
  const isFulfilled = fulfilsVersion === undefined ? value === desiredValue : fulfilsVersion === askedVersion;
  const change = isFulfilled ? { isPending: false } : known;
  items[key] = { ...change, value, reportedAtMs: atMs };
};

type ReportFact = Fact & { readonly kind: 'report' };

/** How a gateway of that state is read. */
export const shown = (gatewayId: string, { gateway, items }: State) => ({
  gateway: gateway && {
    ...{ gatewayId, ...plate, name: gateway.name, connectivity: gateway.connectivity, blocks: gateway.blocks },
    lastSeenAtMs: gateway.lastSeenAtMs > gateway.removedAtMs ? gateway.lastSeenAtMs : gateway.describedAtMs,
  },
  items,
});
