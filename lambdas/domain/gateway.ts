import { type ApplianceFunction, applianceFunctions } from '../api/schemas/gateway.ts';
import type { Block, FactTimes, Gateway } from './appliance.ts';
import { type FaultFactName, faultFactName, faultsIn, type ReportedFault } from './fault.ts';

/** The facts that are reported of a running gateway, except for faults. All facts are stored and ordered in the same way. */
export type GatewayFacts = {
  readonly connectivity: Pick<Gateway, 'connectivity'>;
  /** Has only its time. */
  readonly lastSeen: object;
  /** The first report of the current connectivity, which further reports of it keep. The other of the two facts is absent. */
  readonly onlineSince: object;
  readonly offlineSince: object;
  /** Has no values if the function is no longer blocked. */
} & { readonly [Name in BlockFactName]: Partial<Block> };

type BlockFactName = `${ApplianceFunction}Block`;

export const blockFactName = (name: ApplianceFunction): BlockFactName => `${name}Block`;

/** Facts with the times in `Times`. The fact of a cleared fault has no values. */
type FactsWith<Times> = { readonly [Name in keyof GatewayFacts]?: GatewayFacts[Name] & Times } & {
  readonly [Name in FaultFactName]: Partial<ReportedFault> & Times;
};

/** Facts as they arrive. A fact without a time has the time of the event that contains it. */
export type ReportedFacts = FactsWith<Partial<Pick<FactTimes, 'atMs'>>>;

export type StoredFacts = FactsWith<FactTimes>;

/** The name of the fact with the time since when the connectivity has lasted. */
export const sinceFactName = (connectivity: Gateway['connectivity']) => `${connectivity}Since` as const;

/**
 * Returns the facts that a gateway is online or offline, and when it was last seen: of two reports, each may have the newer one
 * of both.
 */
export const connectivityFacts = (
  connectivity: Gateway['connectivity'] | undefined,
  lastSeenAtMs: number,
): ReportedFacts => ({
  ...(connectivity && { connectivity: { connectivity } }),
  lastSeen: { atMs: lastSeenAtMs },
});

/** Returns the fact that a function is blocked, or no longer blocked. */
export const blockFacts = (name: ApplianceFunction, block?: Block): ReportedFacts => {
  const facts: { readonly [Name in BlockFactName]?: Partial<Block> } = {
    [blockFactName(name)]: block ? { sinceMs: block.sinceMs, untilMs: block.untilMs } : {},
  };
  return facts;
};

/** Returns the fact that the appliance has a fault. */
export const faultFacts = (fault: ReportedFault): ReportedFacts => ({ [faultFactName(fault)]: fault });

/** Returns the fact that the appliance no longer has a fault. */
export const clearedFaultFacts = (fault: Pick<ReportedFault, 'code' | 'componentId'>): ReportedFacts => ({
  [faultFactName(fault)]: {},
});

/** Returns the facts of a gateway that are newer than a removal. */
export const factsSince = (facts: StoredFacts, removedAtMs: number): StoredFacts =>
  Object.fromEntries(Object.entries(facts).filter(([, { atMs }]) => atMs > removedAtMs));

/**
 * Returns the state of a gateway from its facts: without facts it is offline, blocks nothing, has no faults, and was last seen
 * when it was described.
 */
export const gatewayState = (facts: StoredFacts, describedAtMs: number) => {
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
 * What a gateway has according to its descriptions and removals, in whatever order they arrive. It outlives a removal, so that
 * late events do not bring back what was removed.
 */
export type Inventory = {
  /** The time of the newest description; 0 if there was none since the gateway was removed. */
  readonly describedAtMs: number;
  /** The time of the newest removal; 0 if there was none. At equal times the removal wins. */
  readonly removedAtMs: number;
  /**
   * The items of the newest description by their keys, each with the last time at which it did not exist; 0 if none is known.
   */
  readonly absentAtMs: Readonly<Record<string, number>>;
  /** The highest version of all deleted items: an item that is created, or created again, begins above it. */
  readonly lastVersion: number;
  /** For a removed gateway: the facts since its removal, for its next description. */
  readonly facts?: StoredFacts | undefined;
  /** For a gateway whose state was erased: until its next description, its facts do not count. */
  readonly isErased?: boolean | undefined;
};

export const emptyInventory: Inventory = { describedAtMs: 0, removedAtMs: 0, absentAtMs: {}, lastVersion: 0 };

export const isRemoved = ({ describedAtMs, removedAtMs }: Inventory): boolean => removedAtMs >= describedAtMs;

/** Returns the last known time at which an item did not exist: reports up to then do not count. */
export const absentAt = (inventory: Inventory, key: string): number =>
  isRemoved(inventory) ? inventory.removedAtMs : (inventory.absentAtMs[key] ?? inventory.describedAtMs);

/** Returns the inventory after a description that lists those items. */
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

/** Returns the inventory after a removal, which removes all items that existed up to then. */
export const removed = (inventory: Inventory, atMs: number): Inventory => {
  if (atMs <= inventory.removedAtMs) return inventory;
  const after = { ...withAbsence(inventory, () => true, atMs), removedAtMs: atMs };
  return isRemoved(after) ? { ...after, describedAtMs: 0, absentAtMs: {} } : after;
};

/** Applies an older fact, which only shows the items that did not exist at its time. */
const withAbsence = (inventory: Inventory, isAbsent: (key: string) => boolean, atMs: number): Inventory => ({
  ...inventory,
  absentAtMs: Object.fromEntries(
    Object.entries(inventory.absentAtMs).map(([key, knownMs]) => [
      key,
      isAbsent(key) ? Math.max(knownMs, atMs) : knownMs,
    ]),
  ),
});
