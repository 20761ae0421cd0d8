import { beginsWith, compare, type Item, isEqual, orderedTypes, type Value } from '../values.ts';
import { type Given, namesOf, type Operand, requireType, resolve, takeOperand, valueAt } from './operands.ts';
import { readTokens, type Tokens } from './tokens.ts';

/** A condition of DynamoDB, as far as the data modules write such. */
export type Condition =
  | { readonly kind: 'AND' | 'OR'; readonly parts: readonly Condition[] }
  | Comparison
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
  const left = takeOperand(tokens);
  if (!tokens.takeIf('(')) {
    const sign = tokens.take();
    if (!isSign(sign)) throw tokens.unknown(sign);
    return { kind: 'comparison', sign, left, right: takeOperand(tokens) };
  }
  const [name = ''] = 'path' in left ? left.path : [];
  const condition = takeArguments(tokens, name);
  tokens.expect(')');
  return condition;
};

const takeArguments = (tokens: Tokens, name: string): Condition => {
  if (name !== 'attribute_exists' && name !== 'attribute_not_exists' && name !== 'begins_with')
    throw tokens.unknown(name);
  const path = tokens.takePath();
  if (name !== 'begins_with') return { kind: name, path };
  tokens.expect(',');
  return { kind: name, path, prefix: takeOperand(tokens) };
};

/** Whether it holds for an item; an item that is not there has no attributes. */
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

/** Refuses what DynamoDB refuses whatever the item: a value that cannot be compared so. */
export const checkCondition = (condition: Condition, given: Given): void => {
  if (condition.kind === 'AND' || condition.kind === 'OR')
    for (const part of condition.parts) checkCondition(part, given);
  if (condition.kind === 'begins_with') requireType(condition.prefix, ['S', 'B'], given);
  if (condition.kind !== 'comparison') return;
  const types = condition.sign in orders ? orderedTypes : undefined;
  for (const operand of [condition.left, condition.right]) requireType(operand, types, given);
};
