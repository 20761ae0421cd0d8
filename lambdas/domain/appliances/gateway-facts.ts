import { type ApplianceFunction, applianceFunctions } from '../../api/schemas/gateway.ts';
import type { Block, FactTimes, Gateway } from './appliance.ts';

/** What is told of a gateway while it runs. One line for each fact: all of them are stored and ordered in one way. */
export type GatewayFacts = {
  readonly connectivity: Pick<Gateway, 'connectivity'>;
  /** Its own time is all that it says. */
  readonly lastSeen: object;
  /** A function that is blocked no longer has no values. */
} & { readonly [Name in BlockFactName]: Partial<Block> };

type BlockFactName = `${ApplianceFunction}Block`;

export const blockFactName = (name: ApplianceFunction): BlockFactName => `${name}Block`;

/** Facts as they arrive; one that has no time of its own has that of the event that tells it. */
export type ToldFacts = {
  readonly [Name in keyof GatewayFacts]?: GatewayFacts[Name] & Partial<Pick<FactTimes, 'atMs'>>;
};

export type StoredFacts = { readonly [Name in keyof GatewayFacts]?: GatewayFacts[Name] & FactTimes };

/** A gateway is connected or not, and was last seen at that time: of two reports each may know one of both better. */
export const connectivityFacts = (connectivity: Gateway['connectivity'], lastSeenAtMs: number): ToldFacts => ({
  connectivity: { connectivity },
  lastSeen: { atMs: lastSeenAtMs },
});

/** A function is blocked, or is no longer. */
export const blockFacts = (name: ApplianceFunction, block?: Block): ToldFacts => ({
  [blockFactName(name)]: block ? { sinceMs: block.sinceMs, untilMs: block.untilMs } : {},
});

/** What is left of a gateway's facts after a removal: those of the time since. */
export const factsSince = (facts: StoredFacts, removedAtMs: number): StoredFacts =>
  Object.fromEntries(Object.entries(facts).filter(([, { atMs }]) => atMs > removedAtMs));

/** How a gateway stands by its facts: without any it is offline, blocks nothing, and was seen when it was described. */
export const standingBy = (facts: StoredFacts, describedAtMs: number) => ({
  connectivity: facts.connectivity?.connectivity ?? ('offline' as const),
  lastSeenAtMs: facts.lastSeen?.atMs ?? describedAtMs,
  blocks: Object.fromEntries(
    applianceFunctions.flatMap((name) => {
      const { sinceMs, untilMs } = facts[blockFactName(name)] ?? {};
      return sinceMs === undefined ? [] : [[name, { sinceMs, untilMs }]];
    }),
  ) as Gateway['blocks'],
});
