import { UserFacingError } from '../errors.ts';
import { type Expression, parseExpression } from './expression.ts';
import { type MetricIdentity, type MetricStore, minuteMs, statisticOf, type TimeRange } from './metric-store.ts';

/** One line of a graph or of an alarm's `Metrics`: a statistic of a metric, or an expression over the lines beside it. */
export type MetricQuery = { readonly id: string | undefined; readonly periodMs: number } & (
  | { readonly kind: 'metric'; readonly metric: MetricIdentity; readonly statistic: string }
  | { readonly kind: 'expression'; readonly expression: MathExpression }
);

/** Gives the value of a query in the period that starts at a time; `undefined` if it is missing. */
type QueryValue = (query: MetricQuery, atMs: number) => number | undefined;

/** Evaluates queries that may refer to each other; a reference that leads nowhere or in a circle is an error at once. */
export const createQueryEvaluator = (queries: readonly MetricQuery[], metricStore: MetricStore): QueryValue => {
  const queriesById = new Map(queries.map((query) => [query.id, query]));

  const requireSound = (query: MetricQuery, above: readonly MetricQuery[] = []): void => {
    if (query.kind === 'metric') return void statisticOf(query.statistic);
    const { text, ids } = query.expression;
    if (above.includes(query)) throw new UserFacingError(`The expression ${text} refers to itself.`);
    for (const id of ids) {
      const operand = queriesById.get(id);
      if (!operand)
        throw new UserFacingError(`The expression ${text} refers to ${id}, which stands nowhere beside it.`);
      // CloudWatch would bring them to one period in its own way, which its documents do not tell.
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

/** A metric's period, in seconds, as CloudWatch keeps it: whole minutes. */
export const periodMsOf = (seconds: number): number => {
  const periodMs = seconds * 1000;
  if (periodMs > 0 && Number.isInteger(periodMs / minuteMs)) return periodMs;
  throw new UserFacingError(`The local run does not know a period of ${seconds} s; it keeps metrics by the minute.`);
};

/** Gives the periods that hold `fromMs` up to `toMs`, aligned to the epoch as CloudWatch's graphs are. */
export const periodsOf = ({ fromMs, toMs }: TimeRange, periodMs: number): number[] => {
  const firstMs = Math.floor(fromMs / periodMs) * periodMs;
  return Array.from({ length: Math.ceil((toMs - firstMs) / periodMs) }, (_, index) => firstMs + index * periodMs);
};

/** The values of the metrics beside an expression, in one period. */
type Scope = (id: string) => number | undefined;
type Compiled = (scope: Scope) => number | undefined;

export type MathExpression = {
  readonly text: string;
  /** The metrics and expressions that it refers to. */
  readonly ids: readonly string[];
  readonly valueWith: Compiled;
};

/** Reads an expression of metric math; what is not known of it is an error that names it. */
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

/** A part of an expression; a number has its value also in a period in which no metric has one. */
type Operand = { readonly isNumber: boolean; readonly value: Compiled };

/** A quotient by zero is missing. */
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

/** CloudWatch takes what is missing for 0 where it compares, if there is a metric that has a value. */
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
  /** A missing condition gives nothing; a missing value where it holds gives 0, where it does not hold nothing. */
  IF: (condition, whenTrue, whenFalse) => (scope) => {
    const test = condition.value(scope);
    if (test === undefined) return undefined;
    return test === 0 ? whenFalse.value(scope) : (whenTrue.value(scope) ?? 0);
  },
};

const valuesOf = (operands: readonly Operand[], scope: Scope): number[] =>
  operands.flatMap(({ value }) => value(scope) ?? []);

/** Functions of a list of metrics: of the values that there are. */
const aggregates: Readonly<Record<string, (operands: readonly Operand[]) => Compiled>> = {
  SUM: (operands) => (scope) => {
    const values = valuesOf(operands, scope);
    return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0);
  },
  /** Of none it is −∞, which is missing. */
  MAX: (operands) => (scope) => Math.max(...valuesOf(operands, scope)),
};
