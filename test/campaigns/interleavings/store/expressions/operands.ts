import { type Item, typeOf, type Value, type ValueType } from '../values.ts';
import type { Tokens } from './tokens.ts';

/** A path into the item, or the name of a value that comes with the expression. */
export type Operand = { readonly path: readonly string[] } | { readonly value: string };

/** What comes with an expression. */
export type Given = {
  readonly names: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, Value>>;
};

export const takeOperand = (tokens: Tokens): Operand =>
  tokens.isNextValue() ? { value: tokens.take() } : { path: tokens.takePath() };

export const resolve = (operand: Operand, item: Item, given: Given): Value | undefined =>
  'value' in operand ? valueNamed(operand.value, given) : valueAt(item, namesOf(operand.path, given));

export const valueNamed = (name: string, { values }: Given): Value => {
  const value = values[name];
  if (value === undefined) throw new Error(`The expression needs ${name}, which is not among its values.`);
  return value;
};

export const namesOf = (path: readonly string[], { names }: Given): string[] =>
  path.map((part) => {
    const name = part.startsWith('#') ? names[part] : part;
    if (name === undefined) throw new Error(`The expression needs ${part}, which is not among its names.`);
    return name;
  });

export const valueAt = (item: Item, path: readonly string[]): Value | undefined =>
  path.reduce<Value | undefined>((value, name) => (isMap(value) ? value[name] : undefined), item);

export const isMap = (value: Value | undefined): value is Item =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);

/** Refuses a value that comes with the expression and is of no type that is expected, if any are. */
export const requireType = (operand: Operand, types: readonly ValueType[] | undefined, given: Given): void => {
  if (!('value' in operand)) return;
  const type = typeOf(valueNamed(operand.value, given));
  if (types && !types.includes(type))
    throw new Error(`${operand.value} is ${type}; expected is ${types.join(' or ')}.`);
};
