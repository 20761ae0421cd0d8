import type { Expression } from '../expression.ts';
import { percentile } from '../metrics/metric-store.ts';
import {
  defined,
  evaluateInRow,
  type LogRow,
  type LogValue,
  notUnderstood,
  scalarFunctions,
} from './log-expression.ts';

const sumOf = (values: readonly LogValue[]) => values.reduce<number>((sum, value) => sum + Number(value), 0);

export const aggregates: Readonly<Record<string, (values: readonly LogValue[], parameter: number) => LogValue>> = {
  count: (values) => values.length,
  count_distinct: (values) => new Set(values.map(String)).size,
  sum: (values) => sumOf(values),
  avg: (values) => sumOf(values) / values.length,
  min: (values) => values.map(Number).reduce((least, value) => Math.min(least, value)),
  max: (values) => values.map(Number).reduce((most, value) => Math.max(most, value)),
  // Events come newest first.
  latest: ([newest]) => newest,
  earliest: (values) => values.at(-1),
  pct: (values, percent) => percentile(values.map(Number), percent),
};

/** The value of an expression of aggregates over the rows of a group. */
export const evaluateInGroup = (expression: Expression, rows: readonly LogRow[]): LogValue => {
  if (expression.kind === 'number') return expression.value;
  if (expression.kind !== 'call') throw notUnderstood('a value in stats that is no aggregate');
  const { name, parameters } = expression;
  const aggregate = aggregates[name];
  if (!aggregate) {
    const values = parameters.map((parameter) => evaluateInGroup(parameter, rows));
    const scalar = scalarFunctions[name];
    if (!scalar) throw notUnderstood(`${name} between aggregates`);
    return values.includes(undefined) ? undefined : defined(scalar(...values));
  }
  const [field, parameter] = parameters;
  if (!field) throw notUnderstood(`${name} of nothing`);
  const counts = field.kind === 'name' && field.name === '*';
  if (counts && name === 'count') return rows.length;
  const values = rows.map((row) => evaluateInRow(field, row)).filter((value) => value !== undefined);
  return values.length === 0 && !name.startsWith('count')
    ? undefined
    : defined(aggregate(values, parameter?.kind === 'number' ? parameter.value : Number.NaN));
};
