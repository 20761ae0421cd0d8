import { isDeepStrictEqual } from 'node:util';
import {
  type Given,
  isMap,
  namesOf,
  type Operand,
  readTokens,
  requireType,
  resolve,
  type Tokens,
  takeOperand,
} from './conditions.ts';
import type { Item, Value } from './tables.ts';

/**
 * An update of DynamoDB, limited to the forms that the data modules write: `SET path = a`, `SET path = a + b`, `SET path =
 * if_not_exists(path, a)`, `REMOVE path`, `ADD path :value` of a number or a set of strings, `DELETE path :strings`.
 */
type Update = {
  readonly set: readonly Assignment[];
  readonly remove: readonly (readonly string[])[];
  readonly add: readonly Addition[];
  readonly take: readonly Addition[];
};

type Addition = { readonly path: readonly string[]; readonly value: Operand };

type Assignment = {
  readonly path: readonly string[];
  readonly value: Operand;
  readonly plus?: Operand;
  /** Assigned instead of `value` if it exists. */
  readonly unless?: Operand;
};

const known = new Map<string, Update>();

export const parseUpdate = (expression: string): Update => {
  const parsed = known.get(expression);
  if (parsed) return parsed;
  const tokens = readTokens(expression);
  const set = tokens.takeIf('SET') ? takeList(tokens, takeAssignment) : [];
  const remove = tokens.takeIf('REMOVE') ? takeList(tokens, ({ takePath }) => takePath()) : [];
  const add = tokens.takeIf('ADD') ? takeList(tokens, takeAddition) : [];
  const take = tokens.takeIf('DELETE') ? takeList(tokens, takeAddition) : [];
  tokens.expectEnd();
  const update = { set, remove, add, take };
  known.set(expression, update);
  return update;
};

const takeList = <T>(tokens: Tokens, takeOne: (tokens: Tokens) => T): T[] => {
  const list = [takeOne(tokens)];
  while (tokens.takeIf(',')) list.push(takeOne(tokens));
  return list;
};

const takeAddition = (tokens: Tokens): Addition => ({ path: tokens.takePath(), value: takeOperand(tokens) });

const takeAssignment = (tokens: Tokens): Assignment => {
  const path = tokens.takePath();
  tokens.expect('=');
  if (tokens.takeIf('if_not_exists')) return { path, ...takeIfNotExists(tokens) };
  const value = takeOperand(tokens);
  return tokens.takeIf('+') ? { path, value, plus: takeOperand(tokens) } : { path, value };
};

const takeIfNotExists = (tokens: Tokens): Pick<Assignment, 'unless' | 'value'> => {
  tokens.expect('(');
  const unless = { path: tokens.takePath() };
  tokens.expect(',');
  const value = takeOperand(tokens);
  tokens.expect(')');
  return { unless, value };
};

/** Returns the item after the update; every value is computed from the item before it. */
export const applyUpdate = (update: Update, item: Item, given: Given): Item => {
  const values = [
    ...update.set.map((assignment) => assignedValue(assignment, item, given)),
    ...update.remove.map(() => undefined),
    ...update.add.map(({ path, value }) => sumOf(resolve({ path }, item, given), resolve(value, item, given))),
    ...update.take.map(({ path, value }) => restOf(resolve({ path }, item, given), resolve(value, item, given))),
  ];
  let updated = item;
  for (const [index, path] of pathsOf(update, given).entries()) updated = withValueAt(updated, path, values[index]);
  return updated;
};

const pathsOf = ({ set, remove, add, take }: Update, given: Given): string[][] =>
  [...set.map(({ path }) => path), ...remove, ...[...add, ...take].map(({ path }) => path)].map((path) =>
    namesOf(path, given),
  );

/** Adds to zero or to an empty set if the attribute does not exist. */
const sumOf = (old: Value | undefined, added: Value | undefined): Value => {
  if (typeof added === 'number' && (old === undefined || typeof old === 'number')) return (old ?? 0) + added;
  if (added instanceof Set && (old === undefined || old instanceof Set)) return new Set([...(old ?? []), ...added]);
  throw new Error('An update adds what is no number and no set of texts, or to what is no such thing.');
};

/** A set that loses its last string is removed. */
const restOf = (old: Value | undefined, taken: Value | undefined): Value | undefined => {
  if (!(taken instanceof Set) || !(old === undefined || old instanceof Set))
    throw new Error('An update takes from what is no set of texts, or what is none.');
  const rest = [...(old ?? [])].filter((each) => !taken.has(each));
  return rest.length > 0 ? new Set(rest) : undefined;
};

/**
 * Throws for an update that DynamoDB rejects whatever the item is: it changes one path twice, both operands of `if_not_exists`
 * are one path, or it adds a value that is no number.
 */
export const checkUpdate = (update: Update, given: Given): void => {
  refuseOverlaps(pathsOf(update, given));
  for (const { unless, value } of update.set)
    if (isPath(unless) && isPath(value) && isDeepStrictEqual(namesOf(unless.path, given), namesOf(value.path, given)))
      throw new Error('The two operands of if_not_exists are one.');
  for (const { value, plus } of update.set)
    for (const operand of plus ? [value, plus] : [value]) requireType(operand, plus && ['N'], given);
};

const isPath = (operand: Operand | undefined): operand is Extract<Operand, { path: unknown }> =>
  operand !== undefined && 'path' in operand;

/** Returns the attributes that an update has set, with their present values. */
export const attributesSet = ({ set }: Update, item: Item, given: Given): Item =>
  Object.fromEntries(
    set.map(({ path }) => {
      const [name = '', ...below] = namesOf(path, given);
      if (below.length > 0) throw new Error('The store in memory tells updated attributes of the first level only.');
      return [name, item[name] as Value];
    }),
  );

const assignedValue = ({ value, plus, unless }: Assignment, item: Item, given: Given): Value => {
  const kept = unless && resolve(unless, item, given);
  const offered = resolve(value, item, given);
  // DynamoDB Local rejects it even where the existing value is kept.
  if (offered === undefined) throw new Error('An update takes a value from an attribute that is not there.');
  const assigned = kept === undefined ? offered : kept;
  if (plus === undefined) return assigned;
  const added = resolve(plus, item, given);
  if (typeof assigned !== 'number' || typeof added !== 'number') throw new Error('An update adds what is no number.');
  return assigned + added;
};

const refuseOverlaps = (paths: readonly (readonly string[])[]): void => {
  const isBelow = (path: readonly string[], other: readonly string[]) => path.every((name, at) => other[at] === name);
  for (const [index, path] of paths.entries())
    if (paths.some((other, at) => at !== index && isBelow(path, other)))
      throw new Error(`An update changes ${path.join('.')} twice.`);
};

/** Sets the value at a path; undefined removes the attribute. The maps on the path have to exist. */
const withValueAt = (item: Item, path: readonly string[], value: Value | undefined): Item => {
  const [name = '', ...below] = path;
  const { [name]: old, ...others } = item;
  if (below.length > 0) {
    if (!isMap(old)) throw new Error(`An update changes ${below.join('.')} in ${name}, which is no map.`);
    return Object.freeze({ ...others, [name]: withValueAt(old, below, value) });
  }
  return Object.freeze(value === undefined ? others : { ...others, [name]: value });
};
