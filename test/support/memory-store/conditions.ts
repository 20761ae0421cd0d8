import type { Table } from '../../../lambdas/api/tables.ts';
import {
  beginsWith,
  compare,
  type Item,
  isEqual,
  keyNames,
  orderedTypes,
  typeOf,
  type Value,
  type ValueType,
} from './tables.ts';

/** A condition of DynamoDB, limited to the forms that the data modules write. */
type Condition =
  | { readonly kind: 'AND' | 'OR'; readonly parts: readonly Condition[] }
  | Comparison
  | { readonly kind: 'BETWEEN'; readonly bounds: readonly [lowest: Comparison, highest: Comparison] }
  | { readonly kind: 'begins_with'; readonly path: readonly string[]; readonly prefix: Operand }
  | { readonly kind: 'attribute_exists' | 'attribute_not_exists'; readonly path: readonly string[] };

type Comparison = {
  readonly kind: 'comparison';
  readonly sign: Sign;
  readonly left: Operand;
  readonly right: Operand;
};

type Sign = '=' | '<>' | keyof typeof orders;

const orders = {
  '<': (order: number) => order < 0,
  '<=': (order: number) => order <= 0,
  '>': (order: number) => order > 0,
  '>=': (order: number) => order >= 0,
} as const;

const isSign = (text: string): text is Sign => text === '=' || text === '<>' || text in orders;

const known = new Map<string, Condition>();

export const parseCondition = (expression: string): Condition => {
  const parsed = known.get(expression);
  if (parsed) return parsed;
  const tokens = readTokens(expression);
  const condition = takeJoined(tokens, 'OR');
  tokens.expectEnd();
  known.set(expression, condition);
  return condition;
};

const takeJoined = (tokens: Tokens, kind: 'AND' | 'OR'): Condition => {
  const takePart = () => (kind === 'OR' ? takeJoined(tokens, 'AND') : takeSimple(tokens));
  const first = takePart();
  const parts = [first];
  while (tokens.takeIf(kind)) parts.push(takePart());
  return parts.length === 1 ? first : { kind, parts };
};

const takeSimple = (tokens: Tokens): Condition => {
  if (tokens.takeIf('(')) {
    const inner = takeJoined(tokens, 'OR');
    tokens.expect(')');
    return inner;
  }
  const left = takeLeft(tokens);
  if (!tokens.takeIf('(')) {
    const sign = tokens.take();
    if (sign === 'BETWEEN') return takeBounds(tokens, left);
    if (!isSign(sign)) throw tokens.unknown(sign);
    return { kind: 'comparison', sign, left, right: takeOperand(tokens) };
  }
  const [name = ''] = 'path' in left ? left.path : [];
  const condition = takeArguments(tokens, name);
  tokens.expect(')');
  return condition;
};

/** A range between two values, both included. */
const takeBounds = (tokens: Tokens, left: Operand): Condition => {
  const lowest = takeOperand(tokens);
  tokens.expect('AND');
  const highest = takeOperand(tokens);
  const bound = (sign: '>=' | '<=', right: Operand) => ({ kind: 'comparison', sign, left, right }) as const;
  return { kind: 'BETWEEN', bounds: [bound('>=', lowest), bound('<=', highest)] };
};

const takeLeft = (tokens: Tokens): Operand => {
  if (!tokens.isNext('size')) return takeOperand(tokens);
  tokens.take();
  tokens.expect('(');
  const sizeOf = tokens.takePath();
  tokens.expect(')');
  return { sizeOf };
};

const takeArguments = (tokens: Tokens, name: string): Condition => {
  if (name !== 'attribute_exists' && name !== 'attribute_not_exists' && name !== 'begins_with')
    throw tokens.unknown(name);
  const path = tokens.takePath();
  if (name !== 'begins_with') return { kind: name, path };
  tokens.expect(',');
  return { kind: name, path, prefix: takeOperand(tokens) };
};

/** Whether a condition holds for an item; a missing item has no attributes. */
export const isTrue = (condition: Condition, item: Item, given: Given): boolean => {
  switch (condition.kind) {
    case 'AND':
      return condition.parts.every((part) => isTrue(part, item, given));
    case 'OR':
      return condition.parts.some((part) => isTrue(part, item, given));
    case 'attribute_exists':
      return valueAt(item, namesOf(condition.path, given)) !== undefined;
    case 'attribute_not_exists':
      return valueAt(item, namesOf(condition.path, given)) === undefined;
    case 'begins_with':
      return isPrefix(valueAt(item, namesOf(condition.path, given)), resolve(condition.prefix, item, given));
    case 'BETWEEN':
      return condition.bounds.every((bound) => isComparisonTrue(bound, item, given));
    case 'comparison':
      return isComparisonTrue(condition, item, given);
  }
};

const isPrefix = (value: Value | undefined, prefix: Value | undefined): boolean =>
  value !== undefined && prefix !== undefined && beginsWith(value, prefix);

const isComparisonTrue = ({ sign, left, right }: Comparison, item: Item, given: Given): boolean => {
  const [one, other] = [resolve(left, item, given), resolve(right, item, given)];
  if (one === undefined || other === undefined) return sign === '<>';
  if (sign === '=' || sign === '<>') return isEqual(one, other) === (sign === '=');
  const order = compare(one, other);
  return order !== undefined && orders[sign](order);
};

/** Throws for a condition that DynamoDB rejects whatever the item is: its value has no order. */
export const checkCondition = (condition: Condition, given: Given): void => {
  if (condition.kind === 'AND' || condition.kind === 'OR')
    for (const part of condition.parts) checkCondition(part, given);
  if (condition.kind === 'BETWEEN') for (const bound of condition.bounds) checkCondition(bound, given);
  if (condition.kind === 'begins_with') requireType(condition.prefix, ['S', 'B'], given);
  if (condition.kind !== 'comparison') return;
  const types = condition.sign in orders ? orderedTypes : undefined;
  for (const operand of [condition.left, condition.right]) requireType(operand, types, given);
};

/** Whether an item is in the range. Throws if the range is not a partition, whole or with one condition on its sort key. */
export const isInKeyRange = (range: Condition, index: Table, item: Item, given: Given): boolean => {
  const [partition, sort, ...others] = range.kind === 'AND' ? range.parts : [range];
  const [partitionKey, sortKey] = keyNames(index);
  const isRange =
    partition?.kind === 'comparison' &&
    partition.sign === '=' &&
    nameIn(partition, given) === partitionKey &&
    others.length === 0 &&
    (sort === undefined || (isOfSortKey(sort) && nameIn(sort, given) === sortKey));
  if (!isRange) throw new Error(`No query of DynamoDB is asked so: ${JSON.stringify(range)}`);
  return isTrue(range, item, given);
};

const isOfSortKey = (condition: Condition): boolean =>
  condition.kind === 'begins_with' ||
  condition.kind === 'BETWEEN' ||
  (condition.kind === 'comparison' && condition.sign !== '<>');

const nameIn = (condition: Condition, given: Given): string | undefined => {
  if (condition.kind === 'begins_with') return namesOf(condition.path, given).join('.');
  if (condition.kind === 'BETWEEN') return nameIn(condition.bounds[0], given);
  if (condition.kind !== 'comparison' || !('path' in condition.left)) return undefined;
  return namesOf(condition.left.path, given).join('.');
};

/** A path into the item, the size of the set or map at a path, or the name of a value of the expression. */
export type Operand =
  | { readonly path: readonly string[] }
  | { readonly sizeOf: readonly string[] }
  | { readonly value: string };

/** The names and values parameters of an expression. */
export type Given = {
  readonly names: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, Value>>;
};

export const takeOperand = (tokens: Tokens): Operand =>
  tokens.isNextValue() ? { value: tokens.take() } : { path: tokens.takePath() };

export const resolve = (operand: Operand, item: Item, given: Given): Value | undefined => {
  if ('value' in operand) return valueNamed(operand.value, given);
  if ('path' in operand) return valueAt(item, namesOf(operand.path, given));
  return sizeOf(valueAt(item, namesOf(operand.sizeOf, given)));
};

const sizeOf = (value: Value | undefined): number | undefined => {
  if (value === undefined || value instanceof Set) return value?.size;
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return Object.keys(value).length;
  throw new Error('The store in memory knows the size of sets and maps alone.');
};

const valueNamed = (name: string, { values }: Given): Value => {
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

const valueAt = (item: Item, path: readonly string[]): Value | undefined =>
  path.reduce<Value | undefined>((value, name) => {
    if (Array.isArray(value)) return isIndex(name) ? value[Number(name.slice(1, -1))] : undefined;
    return isMap(value) ? value[name] : undefined;
  }, item);

/** A place in a list, as a path has it: `[0]`. */
const isIndex = (part: string): boolean => part.startsWith('[');

export const isMap = (value: Value | undefined): value is Item =>
  typeof value === 'object' && value !== null && typeOf(value) === 'M';

/** Throws if a value of the expression is not of an expected type. */
export const requireType = (operand: Operand, types: readonly ValueType[] | undefined, given: Given): void => {
  if (!('value' in operand)) return;
  const type = typeOf(valueNamed(operand.value, given));
  if (types && !types.includes(type))
    throw new Error(`${operand.value} is ${type}; expected is ${types.join(' or ')}.`);
};

const token = /\s*(?:([A-Za-z_][A-Za-z0-9_]*|[#:][A-Za-z0-9_]+|\[\d+\]|<>|<=|>=|[=<>(),.+-])|$)/y;

/** Splits an expression into tokens, which the caller takes one by one. */
export const readTokens = (expression: string) => {
  const tokens: string[] = [];
  for (token.lastIndex = 0; token.lastIndex < expression.length; ) {
    const at = token.lastIndex;
    const [, text] = token.exec(expression) ?? [];
    if (text === undefined && token.lastIndex === 0) throw unknown(expression, expression.slice(at));
    if (text !== undefined) tokens.push(text);
  }
  let next = 0;
  const isNext = (text: string) => tokens[next]?.toUpperCase() === text.toUpperCase();
  return {
    /** Takes the next token. */
    take: (): string => {
      const taken = tokens[next++];
      if (taken === undefined) throw unknown(expression, 'the end');
      return taken;
    },
    isNext,
    isNextValue: (): boolean => tokens[next]?.startsWith(':') === true,
    /** Takes the next token if it equals the text. */
    takeIf: (text: string): boolean => {
      const is = isNext(text);
      if (is) next++;
      return is;
    },
    /** Takes a path into an item; returns its names as written. */
    takePath: (): string[] => {
      const path = [takeName()];
      for (;;) {
        if (isIndex(tokens[next] ?? '')) path.push(tokens[next++] as string);
        else if (isNext('.')) {
          next++;
          path.push(takeName());
        } else return path;
      }
    },
    expect: (text: string): void => {
      if (!isNext(text)) throw unknown(expression, tokens[next] ?? 'the end');
      next++;
    },
    expectEnd: (): void => {
      if (next < tokens.length) throw unknown(expression, String(tokens[next]));
    },
    unknown: (what: string): Error => unknown(expression, what),
  };

  function takeName(): string {
    const name = tokens[next++] ?? 'the end';
    if (!/^[#A-Za-z_]/.test(name)) throw unknown(expression, name);
    return name;
  }
};

export type Tokens = ReturnType<typeof readTokens>;

const unknown = (expression: string, what: string) =>
  new Error(`The store in memory does not know "${what}" in "${expression}". Teach it in store/expressions/.`);
