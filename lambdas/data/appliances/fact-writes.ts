import { maxGatewayFacts } from '../../api/limits.ts';
import type { FactTimes } from '../../domain/appliance.ts';
import { faultToForget, isFaultFact } from '../../domain/fault.ts';
import { type StoredFacts, sinceFactName } from '../../domain/gateway.ts';

export type Fact = readonly [name: string, fact: FactTimes];

export type FactsToPut = {
  readonly facts: readonly Fact[];
  /** The fact that makes room. */
  readonly forgotten?: Fact | undefined;
};

/** By what a gateway's item orders its facts. */
export type GatewayOrder = { readonly removedAtMs: number; readonly facts: Readonly<Record<string, FactTimes>> };

/** The update of a gateway that puts all of the facts, or none if one is not newer, or if an unknown fault has no room. */
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

/** A fact is unknown or older. A fault makes another one disappear only as long as both are as they were read. */
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

/** What keeps, with the connectivity of a gateway, since when it has been so: a report that repeats it changes nothing. */
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

/** What is left to put of facts whose update has met this gateway: those that are newer, and a fault if another one makes room. */
export const stillToPut = (told: readonly Fact[], item: GatewayOrder): FactsToPut => {
  const facts = told.filter((fact) => isNewer(fact, item));
  const unknownFault = facts.find(([name]) => isFaultFact(name) && !item.facts[name]);
  if (!unknownFault || Object.keys(item.facts).length < maxGatewayFacts) return { facts };
  const forgotten = faultToForget(item.facts, unknownFault[1]);
  return forgotten ? { facts, forgotten } : { facts: facts.filter((fact) => fact !== unknownFault) };
};

const isNewer = ([name, { atMs }]: Fact, { removedAtMs, facts }: GatewayOrder): boolean =>
  removedAtMs < atMs && (facts[name]?.atMs ?? 0) < atMs;
