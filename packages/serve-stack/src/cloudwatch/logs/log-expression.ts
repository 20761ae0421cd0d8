import { UserFacingError } from '../../errors/user-facing-error.ts';
import type { Expression } from '../expression.ts';

/** A value of a row of a log query; a `Date` is a time. */
export type LogValue = number | string | boolean | Date | undefined;

export type LogRow = ReadonlyMap<string, LogValue>;

export const scalarFunctions: Readonly<Record<string, (...values: LogValue[]) => LogValue>> = {
  '+': (a, b) => Number(a) + Number(b),
  '-': (a, b) => Number(a) - Number(b),
  '*': (a, b) => Number(a) * Number(b),
  '/': (a, b) => Number(a) / Number(b),
  ceil: (a) => Math.ceil(Number(a)),
  floor: (a) => Math.floor(Number(a)),
};

export const comparisons: Readonly<Record<string, (order: number) => boolean>> = {
  '=': (order) => order === 0,
  '!=': (order) => order !== 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
};

/** The value of an expression in a row; of a field that the row does not have, and of what is computed of it, none. */
export const evaluateInRow = (expression: Expression, row: LogRow): LogValue => {
  switch (expression.kind) {
    case 'number':
    case 'text':
      return expression.value;
    case 'name':
      return fieldOf(expression.name, row);
    case 'call':
      return evaluateCall(expression, row);
    default:
      throw notUnderstood(expression.kind);
  }
};

const literals: Readonly<Record<string, number>> = { true: 1, false: 0 };

/** CloudWatch reads a boolean as 1 or 0. */
const fieldOf = (name: string, row: LogRow): LogValue => {
  if (name === '*') throw notUnderstood('* outside of count(*)');
  const value = row.get(name) ?? literals[name];
  return typeof value === 'boolean' ? Number(value) : value;
};

const evaluateCall = ({ name, parameters }: Expression & { kind: 'call' }, row: LogRow): LogValue => {
  const [left, right] = parameters;
  const value = (expression: Expression | undefined) => expression && evaluateInRow(expression, row);
  switch (name) {
    case 'not':
      return Number(!value(left));
    case 'ispresent':
      return Number(value(left) !== undefined);
    case 'like':
    case 'not like':
      return isLike(value(left), right, name === 'like');
    case 'in':
    case 'not in':
      return isIn(value(left), right, row, name === 'in');
    case 'bin':
      return startOfBin(row, left);
  }
  const values = parameters.map(value);
  if (name === 'and') return Number(values.every(Boolean));
  if (name === 'or') return Number(values.some(Boolean));
  const comparison = comparisons[name];
  if (comparison) return values.includes(undefined) ? 0 : Number(comparison(compare(values[0], values[1])));
  if (name === '-' && parameters.length === 1) return values[0] === undefined ? undefined : -Number(values[0]);
  const scalar = scalarFunctions[name];
  if (!scalar) throw notUnderstood(`${name}(…) outside of stats`);
  return values.includes(undefined) ? undefined : defined(scalar(...values));
};

/** Compares numbers if both are numbers or read like ones, otherwise texts. */
export const compare = (left: LogValue, right: LogValue): number => {
  const [a, b] = [Number(left), Number(right)];
  if (left !== '' && right !== '' && !Number.isNaN(a) && !Number.isNaN(b)) return a - b;
  const [textA, textB] = [String(left), String(right)];
  return textA < textB ? -1 : Number(textA > textB);
};

const isLike = (value: LogValue, sample: Expression | undefined, expected: boolean): number => {
  if (sample?.kind !== 'text' && sample?.kind !== 'pattern') throw notUnderstood('like without a text or pattern');
  if (value === undefined) return 0;
  const text = String(value);
  const matches = sample.kind === 'text' ? text.includes(sample.value) : sample.value.test(text);
  return Number(matches === expected);
};

const isIn = (value: LogValue, list: Expression | undefined, row: LogRow, expected: boolean): number => {
  if (list?.kind !== 'list') throw notUnderstood('in without a list');
  if (value === undefined) return 0;
  const isMember = list.items.some((item) => compare(value, evaluateInRow(item, row)) === 0);
  return Number(isMember === expected);
};

const unitMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 };

/** `bin(5m)` → the time at which the row's five minutes begin. */
const startOfBin = (row: LogRow, length: Expression | undefined): LogValue => {
  const [, count, unit = ''] = (length?.kind === 'name' && /^(\d+)([smh])$/.exec(length.name)) || [];
  const sizeMs = Number(count) * (unitMs[unit] ?? Number.NaN);
  if (!(sizeMs > 0)) throw notUnderstood('the length of a bin');
  const at = row.get('@timestamp');
  return at === undefined ? undefined : new Date(Math.floor(Number(at) / sizeMs) * sizeMs);
};

export const defined = (value: LogValue): LogValue =>
  typeof value === 'number' && !Number.isFinite(value) ? undefined : value;

export const notUnderstood = (what: string) =>
  new UserFacingError(`The local run does not understand ${what} in a log query.`);
