import type { FactTimes, Fault } from './appliance.ts';

/** A fault as its gateway reports it. `sinceMs` is null if the gateway does not report it. */
export type ReportedFault = Omit<Fault, 'sinceMs'> & { readonly sinceMs: number | null };

const prefix = 'fault ';

/**
 * The name of the fact about a fault. It includes the component, because two components may have faults of the same code. The
 * code comes from the appliance; the prefix keeps it from being the name of another fact or of a property of all objects.
 * Faults are facts in the gateway's item, not items, because `GET /hvacs` reads many gateways in one batch.
 */
export type FaultFactName = `${typeof prefix}${string}`;

export const faultFactName = ({ componentId, code }: Pick<Fault, 'code' | 'componentId'>): FaultFactName =>
  `${prefix}${JSON.stringify([componentId, code])}`;

/** A gateway's reports of its faults, by the names of the facts. Cleared faults have no values. */
type FaultFacts = { readonly [Name in FaultFactName]: FactTimes & Partial<ReportedFault> };
type FaultFact = FaultFacts[FaultFactName];

export const isFaultFact = (name: string): name is FaultFactName => name.startsWith(prefix);

const isOpen = (fact: FaultFact): fact is FactTimes & ReportedFault => fact.code !== undefined;

/** Returns the open faults, the newest first; faults of the same time are in the order of their names. */
export const faultsIn = (facts: object): Fault[] =>
  faultFactsIn(facts)
    .flatMap(([, fact]) => faultOf(fact) ?? [])
    .toSorted((one, other) => other.sinceMs - one.sinceMs);

const faultFactsIn = (facts: object): [FaultFactName, FaultFact][] =>
  Object.keys(facts)
    .toSorted()
    .filter(isFaultFact)
    .map((name) => [name, (facts as FaultFacts)[name] as FaultFact]);

const faultOf = (fact: FaultFact): Fault | undefined => {
  if (!isOpen(fact)) return undefined;
  const { code, componentId, severity, text, sinceMs, atMs } = fact;
  return { code, componentId, severity, text, sinceMs: sinceMs ?? atMs };
};

/**
 * Returns the fault to delete so that another one has room: the oldest cleared fault, or the oldest open one if no fault is
 * cleared. Returns undefined if the other fault is the one to drop: an older one may be a late report of a deleted fault, and a
 * cleared one must not displace an open fault.
 */
export const faultToForget = (
  facts: object,
  other: FactTimes & Partial<ReportedFault>,
): readonly [FaultFactName, FactTimes] | undefined => {
  const oldestFirst = faultFactsIn(facts).toSorted(([, { atMs }], [, { atMs: otherMs }]) => atMs - otherMs);
  const cleared = oldestFirst.find(([, fact]) => !isOpen(fact));
  const first = cleared ?? (isOpen(other) ? oldestFirst[0] : undefined);
  return first && first[1].atMs < other.atMs ? first : undefined;
};
