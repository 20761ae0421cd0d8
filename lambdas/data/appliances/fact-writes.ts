import { maxGatewayFacts } from '../../api/limits.ts';
import type { FactTimes } from '../../domain/appliance.ts';
import { faultToForget, isFaultFact } from '../../domain/fault.ts';
import { type StoredFacts, sinceFactName } from '../../domain/gateway.ts';

export type Fact = readonly [name: string, fact: FactTimes];

export type FactsToPut = {
  readonly facts: readonly Fact[];
  /** The fact that is deleted to make room for a new fault. */
  readonly forgotten?: Fact | undefined;
};

/** The attributes of a gateway's item that decide which facts are newer. */
export type GatewayOrder = { readonly removedAtMs: number; readonly facts: Readonly<Record<string, FactTimes>> };

/** Returns the update that writes all of the facts, or none if one is not newer, or if a new fault has no room. */
export const putFacts = ({ facts, forgotten }: FactsToPut) => {
  const since = connectedSince(facts);
  const hasFault = facts.some(([name]) => isFaultFact(name));
  const removed = [...since.removed, ...(forgotten ? ['facts.#forgotten'] : [])];
  return {
    UpdateExpression: [
      `SET ${[...facts.map((_, index) => `facts.#fact${index} = :fact${index}`), ...since.set].join(', ')}`,
      ...(removed.length > 0 ? [`REMOVE ${removed.join(', ')}`] : []),
    ].join(' '),
    ConditionExpression: facts
      .map(([name], index) => `removedAtMs < :atMs${index} AND (${guardOf(name, index, forgotten)})`)
      .join(' AND '),
    ExpressionAttributeNames: Object.fromEntries([
      ...facts.map(([name], index) => [`#fact${index}`, name]),
      ...since.names,
      ...(forgotten ? [['#forgotten', forgotten[0]]] : []),
    ]),
    ExpressionAttributeValues: Object.fromEntries([
      ...facts.flatMap(([, fact], index) => [
        [`:fact${index}`, fact],
        [`:atMs${index}`, fact.atMs],
      ]),
      ...since.values,
      ...(forgotten ? [[':forgottenAtMs', forgotten[1].atMs]] : hasFault ? [[':maxFacts', maxGatewayFacts]] : []),
    ]),
  };
};

/** The stored fact is absent or older. A new fault replaces another one only if both are as they were read. */
const guardOf = (name: string, index: number, forgotten: Fact | undefined): string => {
  const [isUnknown, isOlder] = [
    `attribute_not_exists(facts.#fact${index})`,
    `facts.#fact${index}.atMs < :atMs${index}`,
  ];
  if (!isFaultFact(name)) return `${isUnknown} OR ${isOlder}`;
  return forgotten
    ? `${isUnknown} AND facts.#forgotten.atMs = :forgottenAtMs`
    : `(${isUnknown} AND size(facts) < :maxFacts) OR ${isOlder}`;
};

/**
 * Stores, with the connectivity of a gateway, since when it has lasted: a report that repeats the connectivity keeps that time.
 */
const connectedSince = (facts: readonly Fact[]) => {
  const [, told] = facts.find(([name]) => name === 'connectivity') ?? [];
  if (!told) return { set: [], removed: [], names: [], values: [] };
  const { connectivity, ...times } = told as NonNullable<StoredFacts['connectivity']>;
  const [kept, over] = [sinceFactName(connectivity), sinceFactName(connectivity === 'online' ? 'offline' : 'online')];
  return {
    set: [`facts.#${kept} = if_not_exists(facts.#${kept}, :${kept})`],
    removed: [`facts.#${over}`],
    names: [kept, over].map((name) => [`#${name}`, name]),
    values: [[`:${kept}`, times]],
  };
};

/**
 * Returns what is left to write after an update failed on this item: the newer facts, and a new fault only if another one makes
 * room.
 */
export const remainingFacts = (told: readonly Fact[], item: GatewayOrder): FactsToPut => {
  const facts = told.filter((fact) => isNewer(fact, item));
  const unknownFault = facts.find(([name]) => isFaultFact(name) && !item.facts[name]);
  if (!unknownFault || Object.keys(item.facts).length < maxGatewayFacts) return { facts };
  const forgotten = faultToForget(item.facts, unknownFault[1]);
  return forgotten ? { facts, forgotten } : { facts: facts.filter((fact) => fact !== unknownFault) };
};

const isNewer = ([name, { atMs }]: Fact, { removedAtMs, facts }: GatewayOrder): boolean =>
  removedAtMs < atMs && (facts[name]?.atMs ?? 0) < atMs;
