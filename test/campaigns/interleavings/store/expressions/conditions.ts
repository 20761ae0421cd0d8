import { beginsWith, compare, type Item, isEqual, isOrdered, typeOf, type Value } from '../values.ts';
import { type Given, namesOf, type Operand, resolve, takeOperand, valueAt } from './operands.ts';
import { readTokens, type Tokens } from './tokens.ts';

/** A condition of DynamoDB, as far as the data modules write such. */
export type Condition =
  | { readonly kind: 'AND' | 'OR'; readonly parts: readonly Condition[] }
  | { readonly kind: 'comparison'; readonly sign: Sign; readonly left: Operand; readonly right: Operand }
  | { readonly kind: 'begins_with'; readonly path: readonly string[]; readonly prefix: Operand }
  | { readonly kind: 'attribute_exists' | 'attribute_not_exists'; readonly path: readonly string[] };

type Sign = keyof typeof holds;

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
    if (!(sign in holds)) throw tokens.unknown(sign);
    return { kind: 'comparison', sign: sign as Sign, left, right: takeOperand(tokens) };
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

const isPrefix = (value: Value | undefined, prefix: Value | undefined): boolean => {
  if (prefix !== undefined && typeOf(prefix) !== 'S' && typeOf(prefix) !== 'B')
    throw new Error(`begins_with takes a text or bytes, not ${typeOf(prefix)}.`);
  return value !== undefined && prefix !== undefined && beginsWith(value, prefix);
};

const isComparisonTrue = (
  { sign, left, right }: Extract<Condition, { kind: 'comparison' }>,
  item: Item,
  given: Given,
): boolean => {
  const [one, other] = [resolve(left, item, given), resolve(right, item, given)];
  if (sign === '<>') return one === undefined || other === undefined || !isEqual(one, other);
  if (sign === '=') return one !== undefined && other !== undefined && isEqual(one, other);
  for (const operand of [left, right])
    if ('value' in operand && !isOrdered(resolve(operand, item, given) as Value))
      throw new Error(`${sign} takes a number, a text or bytes.`);
  const order = one === undefined || other === undefined ? undefined : compare(one, other);
  return order !== undefined && holds[sign](order);
};

const holds = {
  '=': (order: number) => order === 0,
  '<>': (order: number) => order !== 0,
  '<': (order: number) => order < 0,
  '<=': (order: number) => order <= 0,
  '>': (order: number) => order > 0,
  '>=': (order: number) => order >= 0,
} as const;
