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
 * An update of DynamoDB, as far as the data modules write such: `SET path = a`, `SET path = a + b`,
 * `SET path = if_not_exists(path, a)`, `REMOVE path`.
 */
export type Update = { readonly set: readonly Assignment[]; readonly remove: readonly (readonly string[])[] };

type Assignment = {
  readonly path: readonly string[];
  readonly value: Operand;
  readonly plus?: Operand;
  /** What is assigned instead, if it is there. */
  readonly unless?: Operand;
};

const known = new Map<string, Update>();

export const parseUpdate = (expression: string): Update => {
  const parsed = known.get(expression);
  if (parsed) return parsed;
  const tokens = readTokens(expression);
  const set = tokens.takeIf('SET') ? takeList(tokens, takeAssignment) : [];
  const remove = tokens.takeIf('REMOVE') ? takeList(tokens, ({ takePath }) => takePath()) : [];
  tokens.expectEnd();
  const update = { set, remove };
  known.set(expression, update);
  return update;
};

const takeList = <T>(tokens: Tokens, takeOne: (tokens: Tokens) => T): T[] => {
  const list = [takeOne(tokens)];
  while (tokens.takeIf(',')) list.push(takeOne(tokens));
  return list;
};

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

/** The item after the update: every value is taken from the item as it was. */
export const applyUpdate = ({ set, remove }: Update, item: Item, given: Given): Item => {
  const paths = pathsOf({ set, remove }, given);
  const values = set.map((assignment) => assignedValue(assignment, item, given));
  let updated = item;
  for (const [index, path] of paths.entries()) updated = withValueAt(updated, path, values[index]);
  return updated;
};

const pathsOf = ({ set, remove }: Update, given: Given): string[][] =>
  [...set.map(({ path }) => path), ...remove].map((path) => namesOf(path, given));

/**
 * Refuses what DynamoDB refuses whatever the item: to change one thing twice, to give what is there in place of itself, or to
 * add a value that is no number.
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

/** The attributes that an update has set, as they are now. */
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
  // DynamoDB Local refuses it even where it takes what is kept.
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

/** With undefined, the attribute goes. What is on the way to it has to be there. */
const withValueAt = (item: Item, path: readonly string[], value: Value | undefined): Item => {
  const [name = '', ...below] = path;
  const { [name]: old, ...others } = item;
  if (below.length > 0) {
    if (!isMap(old)) throw new Error(`An update changes ${below.join('.')} in ${name}, which is no map.`);
    return Object.freeze({ ...others, [name]: withValueAt(old, below, value) });
  }
  return Object.freeze(value === undefined ? others : { ...others, [name]: value });
};
