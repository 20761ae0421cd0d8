import { type ApplianceFunction, applianceFunctions } from '../api/schemas/gateway.ts';
import type { Block, FactTimes, Gateway } from './appliance.ts';
import { type FaultFactName, faultFactName, faultsIn, type ReportedFault } from './fault.ts';

/** What is told of a gateway while it runs, apart from faults. One line for each fact: all are stored and ordered in one way. */
export type GatewayFacts = {
  readonly connectivity: Pick<Gateway, 'connectivity'>;
  /** Its own time is all that it says. */
  readonly lastSeen: object;
  /** The first report of the connectivity that it has; of the other there is none. Each is kept by the reports that repeat it. */
  readonly onlineSince: object;
  readonly offlineSince: object;
  /** A function that is blocked no longer has no values. */
} & { readonly [Name in BlockFactName]: Partial<Block> };

type BlockFactName = `${ApplianceFunction}Block`;

export const blockFactName = (name: ApplianceFunction): BlockFactName => `${name}Block`;

/** Facts with the times that `Times` asks for. A fault that is cleared has no values. */
type FactsWith<Times> = { readonly [Name in keyof GatewayFacts]?: GatewayFacts[Name] & Times } & {
  readonly [Name in FaultFactName]: Partial<ReportedFault> & Times;
};

/** Facts as they arrive; one that has no time of its own has that of the event that tells it. */
export type ToldFacts = FactsWith<Partial<Pick<FactTimes, 'atMs'>>>;

export type StoredFacts = FactsWith<FactTimes>;

/** The fact that tells since when a gateway has been so. */
export const sinceFactName = (connectivity: Gateway['connectivity']) => `${connectivity}Since` as const;

/** A gateway is connected or not, and was last seen at that time: of two reports each may know one of both better. */
export const connectivityFacts = (
  connectivity: Gateway['connectivity'] | undefined,
  lastSeenAtMs: number,
): ToldFacts => ({
  ...(connectivity && { connectivity: { connectivity } }),
  lastSeen: { atMs: lastSeenAtMs },
});

/** A function is blocked, or is no longer. */
export const blockFacts = (name: ApplianceFunction, block?: Block): ToldFacts => {
  const facts: { readonly [Name in BlockFactName]?: Partial<Block> } = {
    [blockFactName(name)]: block ? { sinceMs: block.sinceMs, untilMs: block.untilMs } : {},
  };
  return facts;
};

/** The appliance has a fault. */
export const faultFacts = (fault: ReportedFault): ToldFacts => ({ [faultFactName(fault)]: fault });

/** The appliance has a fault no longer. */
export const clearedFaultFacts = (fault: Pick<ReportedFault, 'code' | 'componentId'>): ToldFacts => ({
  [faultFactName(fault)]: {},
});

/** What is left of a gateway's facts after a removal: those of the time since. */
export const factsSince = (facts: StoredFacts, removedAtMs: number): StoredFacts =>
  Object.fromEntries(Object.entries(facts).filter(([, { atMs }]) => atMs > removedAtMs));

/** How a gateway stands by its facts: without any it is offline, blocks nothing, has no faults, and was seen when it was described. */
export const standingBy = (facts: StoredFacts, describedAtMs: number) => {
  const connectivity = facts.connectivity?.connectivity ?? ('offline' as const);
  return {
    connectivity,
    connectivitySinceMs: facts[sinceFactName(connectivity)]?.atMs ?? null,
    lastSeenAtMs: facts.lastSeen?.atMs ?? describedAtMs,
    blocks: Object.fromEntries(
      applianceFunctions.flatMap((name) => {
        const { sinceMs, untilMs } = facts[blockFactName(name)] ?? {};
        return sinceMs === undefined ? [] : [[name, { sinceMs, untilMs }]];
      }),
    ) as Gateway['blocks'],
    faults: faultsIn(facts),
  };
};

/**
 * What a gateway has by its descriptions and removals, in whatever order they arrive. It outlives a removal, so that nothing
 * that is late revives what is gone.
 */
export type Inventory = {
  /** The time of the newest description; 0 if there was none since the gateway was removed. */
  readonly describedAtMs: number;
  /** The time of the newest removal; 0 if there was none. Of equal times the removal counts. */
  readonly removedAtMs: number;
  /** The items of the newest description by their keys, each with the last time at which it was not there; 0 if none is known. */
  readonly absentAtMs: Readonly<Record<string, number>>;
  /** The last version of each item that was deleted: one that comes back goes on counting from there. */
  readonly lastVersions: Readonly<Record<string, number>>;
  /** Of a gateway that was removed: what was told already of the time since, for its next description. */
  readonly facts?: StoredFacts | undefined;
  /** Of a gateway whose state was erased: until its next description, nothing that is told of it counts. */
  readonly isErased?: boolean | undefined;
};

export const emptyInventory: Inventory = { describedAtMs: 0, removedAtMs: 0, absentAtMs: {}, lastVersions: {} };

export const isRemoved = ({ describedAtMs, removedAtMs }: Inventory): boolean => removedAtMs >= describedAtMs;

/** The last time at which an item was not there, as far as is known: what is told of it until then is past. */
export const absentAt = (inventory: Inventory, key: string): number =>
  isRemoved(inventory) ? inventory.removedAtMs : (inventory.absentAtMs[key] ?? inventory.describedAtMs);

/** The inventory after a description that lists those items. */
export const described = (inventory: Inventory, listed: readonly string[], atMs: number): Inventory =>
  atMs > inventory.describedAtMs && atMs > inventory.removedAtMs
    ? {
        ...inventory,
        facts: undefined,
        isErased: undefined,
        describedAtMs: atMs,
        absentAtMs: Object.fromEntries(listed.map((key) => [key, absentAt(inventory, key)])),
      }
    : withAbsence(inventory, (key) => !listed.includes(key), atMs);

/** The inventory after a removal, which takes all items along that were there until then. */
export const removed = (inventory: Inventory, atMs: number): Inventory => {
  if (atMs <= inventory.removedAtMs) return inventory;
  const after = { ...withAbsence(inventory, () => true, atMs), removedAtMs: atMs };
  return isRemoved(after) ? { ...after, describedAtMs: 0, absentAtMs: {} } : after;
};

/** An older fact that says which items were not there at its time. */
const withAbsence = (inventory: Inventory, isAbsent: (key: string) => boolean, atMs: number): Inventory => ({
  ...inventory,
  absentAtMs: Object.fromEntries(
    Object.entries(inventory.absentAtMs).map(([key, knownMs]) => [
      key,
      isAbsent(key) ? Math.max(knownMs, atMs) : knownMs,
    ]),
  ),
});
