import { UserFacingError } from '../errors.ts';
import { type Expression, parseExpression } from './expression.ts';
import { type MetricIdentity, type MetricStore, minuteMs, statisticOf, type TimeRange } from './metric-store.ts';

/** One line of a graph or of an alarm's `Metrics`: a statistic of a metric, or an expression over the other lines. */
export type MetricQuery = { readonly id: string | undefined; readonly periodMs: number } & (
  | { readonly kind: 'metric'; readonly metric: MetricIdentity; readonly statistic: string }
  | { readonly kind: 'expression'; readonly expression: MathExpression }
);

/** Returns the value of a query in the period that starts at a time; `undefined` if it is missing. */
type QueryValue = (query: MetricQuery, atMs: number) => number | undefined;

/** Returns an evaluator of queries that may refer to each other. Throws if a reference is undefined or circular. */
export const createQueryEvaluator = (queries: readonly MetricQuery[], metricStore: MetricStore): QueryValue => {
  const queriesById = new Map(queries.map((query) => [query.id, query]));

  const requireSound = (query: MetricQuery, above: readonly MetricQuery[] = []): void => {
    if (query.kind === 'metric') return void statisticOf(query.statistic);
    const { text, ids } = query.expression;
    if (above.includes(query)) throw new UserFacingError(`The expression ${text} refers to itself.`);
    for (const id of ids) {
      const operand = queriesById.get(id);
      if (!operand) throw new UserFacingError(`The expression ${text} refers to ${id}, which is not defined.`);
      // CloudWatch would convert them to one period in a way that it does not document.
      if (query.periodMs !== operand.periodMs)
        throw new UserFacingError(
          `The expression ${text} has a period of ${query.periodMs / 1000} s, a metric in it one of ${operand.periodMs / 1000} s.`,
        );
      requireSound(operand, [...above, query]);
    }
  };
  for (const query of queries) requireSound(query);

  const evaluate: QueryValue = (query, atMs) => {
    if (query.kind === 'metric')
      return metricStore.statistic(query.metric, query.statistic, atMs, atMs + query.periodMs);
    return query.expression.valueWith((id) => evaluate(queriesById.get(id) as MetricQuery, atMs));
  };
  return evaluate;
};

/** Returns a metric's period in ms, from seconds. Throws unless it is whole minutes, as CloudWatch stores metrics. */
export const periodMsOf = (seconds: number): number => {
  const periodMs = seconds * 1000;
  if (periodMs > 0 && Number.isInteger(periodMs / minuteMs)) return periodMs;
  throw new UserFacingError(`The local run does not know a period of ${seconds} s; it keeps metrics by the minute.`);
};

/** Returns the starts of the periods that cover `fromMs` up to `toMs`, aligned to the epoch like CloudWatch's graphs. */
export const periodsOf = ({ fromMs, toMs }: TimeRange, periodMs: number): number[] => {
  const firstMs = Math.floor(fromMs / periodMs) * periodMs;
  return Array.from({ length: Math.ceil((toMs - firstMs) / periodMs) }, (_, index) => firstMs + index * periodMs);
};

/** The values of an expression's metrics in one period. */
type Scope = (id: string) => number | undefined;
type Compiled = (scope: Scope) => number | undefined;

export type MathExpression = {
  readonly text: string;
  /** The metrics and expressions that it refers to. */
  readonly ids: readonly string[];
  readonly valueWith: Compiled;
};

/** Parses an expression of metric math. Throws an error that names any unknown part. */
export const parseMath = (text: string): MathExpression => {
  const ids: string[] = [];

  const compile = (expression: Expression): Operand => {
    switch (expression.kind) {
      case 'number':
        return { isNumber: true, value: () => expression.value };
      case 'name':
        ids.push(expression.name);
        return { isNumber: false, value: (scope) => scope(expression.name) };
      case 'call':
        return { isNumber: false, value: finite(compileCall(expression)) };
      default:
        throw new UserFacingError(`The local run does not know a ${expression.kind} here in metric math: ${text}`);
    }
  };

  const compileCall = ({ name, parameters }: Expression & { kind: 'call' }): Compiled => {
    const [list] = parameters;
    const aggregate = aggregates[name];
    if (aggregate && list?.kind === 'list' && parameters.length === 1) return aggregate(list.items.map(compile));
    const known = functions[name];
    if (known?.length === parameters.length) return known(...parameters.map(compile));
    throw new UserFacingError(
      `The local run does not know ${name} with ${parameters.length} parameters in metric math: ${text}`,
    );
  };

  const { value } = compile(parseExpression(text, 'the metric math'));
  if (ids.length === 0) throw new UserFacingError(`The metric math refers to no metric: ${text}`);
  return { text, ids, valueWith: value };
};

/** A part of an expression. A number also has its value in a period in which no metric has one. */
type Operand = { readonly isNumber: boolean; readonly value: Compiled };

/** A division by zero gives a missing value. */
const finite =
  (compiled: Compiled): Compiled =>
  (scope) => {
    const value = compiled(scope);
    return Number.isFinite(value) ? value : undefined;
  };

const arithmetic =
  (apply: (left: number, right: number) => number) =>
  (left: Operand, right: Operand): Compiled =>
  (scope) => {
    const [a, b] = [left.value(scope), right.value(scope)];
    return a === undefined || b === undefined ? undefined : apply(a, b);
  };

/** In comparisons, CloudWatch treats a missing value as 0, if another metric has a value. */
const comparison =
  (holds: (left: number, right: number) => boolean) =>
  (left: Operand, right: Operand): Compiled =>
  (scope) => {
    const [a, b] = [left.value(scope), right.value(scope)];
    const isMissing = (left.isNumber || a === undefined) && (right.isNumber || b === undefined);
    return isMissing ? undefined : Number(holds(a ?? 0, b ?? 0));
  };

const functions: Readonly<Record<string, (...operands: Operand[]) => Compiled>> = {
  '+': arithmetic((left, right) => left + right),
  '-': arithmetic((left, right) => left - right),
  '*': arithmetic((left, right) => left * right),
  '/': arithmetic((left, right) => left / right),
  '>': comparison((left, right) => left > right),
  '>=': comparison((left, right) => left >= right),
  FILL: (series, filler) => (scope) => series.value(scope) ?? filler.value(scope),
  /** A missing condition gives no value. A missing value gives 0 if the condition is true, and no value if it is false. */
  IF: (condition, whenTrue, whenFalse) => (scope) => {
    const test = condition.value(scope);
    if (test === undefined) return undefined;
    return test === 0 ? whenFalse.value(scope) : (whenTrue.value(scope) ?? 0);
  },
};

const valuesOf = (operands: readonly Operand[], scope: Scope): number[] =>
  operands.flatMap(({ value }) => value(scope) ?? []);

/** Functions of a list of metrics, over the present values. */
const aggregates: Readonly<Record<string, (operands: readonly Operand[]) => Compiled>> = {
  SUM: (operands) => (scope) => {
    const values = valuesOf(operands, scope);
    return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0);
  },
  /** Without values it is −∞, which counts as missing. */
  MAX: (operands) => (scope) => Math.max(...valuesOf(operands, scope)),
};
