import type { FactTimes, Fault } from './appliance.ts';

/** A fault as its gateway reports it. A gateway may not say since when. */
export type ReportedFault = Omit<Fault, 'sinceMs'> & { readonly sinceMs: number | null };

const prefix = 'fault ';

/**
 * The name of the fact about a fault. Two components may have faults of one code. The code comes from the appliance, so the
 * name has a prefix: no code is the name of another fact or of a property that all objects have.
 */
export type FaultFactName = `${typeof prefix}${string}`;

export const faultFactName = ({ componentId, code }: Pick<Fault, 'code' | 'componentId'>): FaultFactName =>
  `${prefix}${JSON.stringify([componentId, code])}`;

/** What a gateway reports of its faults by the names of the facts; nothing of those that it has cleared. */
type FaultFacts = { readonly [Name in FaultFactName]: FactTimes & Partial<ReportedFault> };
type FaultFact = FaultFacts[FaultFactName];

export const isFaultFact = (name: string): name is FaultFactName => name.startsWith(prefix);

const isOpen = (fact: FaultFact): fact is FactTimes & ReportedFault => fact.code !== undefined;

/** The open faults, the newest first; those of one time by their names. */
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
 * The fact that a gateway forgets so that another fault has room: the cleared fault with the oldest time, or the open one
 * with the oldest time if no fault is cleared. Undefined if the other fault is the first to go: one that is older may be a
 * late report of a fault that was forgotten, and one that is cleared makes no open fault disappear.
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
