import { ExplainedError } from '../explained-error.ts';
import type { Expression } from './expression.ts';
import {
  isSeries,
  isSeveral,
  mapSeries,
  mapWithPrevious,
  seriesOf,
  type TimeSeries,
  type Times,
  type Value,
  valueAt,
} from './time-series.ts';

/** What an expression is computed over. */
export type MathScope = {
  readonly times: Times;
  readonly valueOf: (id: string) => Value;
  /** The metrics beside the expression, or those whose id contains a text. */
  readonly metrics: (idPart?: string) => readonly TimeSeries[];
  readonly periodMsOf: (id: string) => number;
  readonly insightRuleMetric: (ruleName: string, metricName: string) => TimeSeries;
};

type Call = (scope: MathScope, parameters: readonly Expression[], evaluate: (expression: Expression) => Value) => Value;

type MathFunction = { readonly counts: readonly number[]; readonly call: Call };

/** A function of the values of its parameters. */
const ofValues = (counts: readonly number[], apply: (times: Times, ...values: Value[]) => Value): MathFunction => ({
  counts,
  call: ({ times }, parameters, evaluate) => apply(times, ...parameters.map(evaluate)),
});

/**
 * A function of two values at each time at which there is a series that has one. Where the other series has none, the
 * value is missing, or `missing` takes its place.
 */
const pointwise = (apply: (left: number, right: number) => number, missing?: number): MathFunction => {
  const combine = (times: Times, left: Value, right: Value): Value => {
    if (isSeveral(left)) return left.map((each) => combine(times, each, right) as TimeSeries);
    if (isSeveral(right)) return right.map((each) => combine(times, left, each) as TimeSeries);
    if (typeof left === 'number' && typeof right === 'number') return apply(left, right);
    const series = [left, right].filter(isSeries);
    return seriesOf(times, (atMs) => {
      const a = valueAt(left, atMs) ?? missing;
      const b = valueAt(right, atMs) ?? missing;
      if (a === undefined || b === undefined || !series.some((each) => each.has(atMs))) return undefined;
      return apply(a, b);
    });
  };
  return ofValues([2], (times, left = Number.NaN, right = Number.NaN) => combine(times, left, right));
};

/** CloudWatch takes what is missing for 0 where it compares two series: unlike a sum, an answer needs no value. */
const condition = (holds: (left: number, right: number) => boolean) =>
  pointwise((left, right) => Number(holds(left, right)), 0);

const ofEach = (apply: (value: number) => number): MathFunction =>
  ofValues([1], (times, value = Number.NaN) =>
    mapSeries(value, (each) =>
      isSeries(each) ? seriesOf(times, (atMs) => optional(apply, each.get(atMs))) : apply(each),
    ),
  );

const optional = (apply: (value: number) => number, value: number | undefined) =>
  value === undefined ? undefined : apply(value);

/** Of several series, a series: at each time, of the values that there are. Of one series, a scalar: of all its values. */
const aggregate = (name: string, apply: (values: readonly number[], seriesCount: number) => number): MathFunction =>
  ofValues([1], (times, value = Number.NaN) => {
    if (typeof value === 'number') throw new ExplainedError(`${name} of metric math takes series, not a number.`);
    if (isSeries(value)) return apply([...value.values()], value.size);
    return seriesOf(times, (atMs) => {
      const values = value.flatMap((series) => series.get(atMs) ?? []);
      return values.length === 0 ? undefined : apply(values, value.length);
    });
  });

const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);

const ofSeries = (name: string, apply: (series: TimeSeries) => TimeSeries): MathFunction =>
  ofValues([1], (_, value = Number.NaN) =>
    mapSeries(value, (each) => {
      if (!isSeries(each)) throw new ExplainedError(`${name} of metric math takes series, not a number.`);
      return apply(each);
    }),
  );

const runningSum = (series: TimeSeries): TimeSeries => {
  let sum = 0;
  return seriesOf(series.keys(), (atMs) => {
    sum += series.get(atMs) ?? 0;
    return sum;
  });
};

/** A missing condition gives nothing; a missing value where it holds gives 0, where it does not hold nothing. */
const choose = (times: Times, test: Value, whenTrue: Value, whenFalse: Value = new Map()): Value => {
  if (typeof test === 'number') return test === 0 ? whenFalse : whenTrue;
  if (isSeveral(test) || isSeveral(whenTrue) || isSeveral(whenFalse))
    throw new ExplainedError('IF of metric math takes single series only.');
  return seriesOf(times, (atMs) => {
    const isTrue = test.get(atMs);
    if (isTrue === undefined) return undefined;
    return isTrue === 0 ? valueAt(whenFalse, atMs) : (valueAt(whenTrue, atMs) ?? 0);
  });
};

const fill: Call = ({ times }, [series, filler], evaluate) => {
  if (!series || !filler) throw new ExplainedError('FILL of metric math takes a series and its filler.');
  const repeats = filler.kind === 'name' && filler.name === 'REPEAT';
  const value = repeats ? 0 : evaluate(filler);
  if (isSeveral(value)) throw new ExplainedError('FILL of metric math takes one filler.');
  return mapSeries(evaluate(series), (each) => {
    let last: number | undefined;
    return seriesOf(times, (atMs) => {
      last = valueAt(each, atMs) ?? (repeats ? last : valueAt(value, atMs));
      return last;
    });
  });
};

const textOf = (parameter: Expression | undefined): string => {
  if (parameter?.kind !== 'text') throw new ExplainedError('Metric math expects a text in quotes here.');
  return parameter.value;
};

const periodOf: Call = ({ periodMsOf }, [metric]) => {
  if (metric?.kind !== 'name') throw new ExplainedError('PERIOD of metric math takes the id of a metric.');
  return periodMsOf(metric.name) / 1000;
};

const subtract = pointwise((left, right) => left - right);

const negate = ofEach((value) => -value);

/** By name; operators are functions too. */
export const mathFunctions: Readonly<Record<string, MathFunction>> = {
  '+': pointwise((left, right) => left + right),
  '-': {
    counts: [1, 2],
    call: (scope, parameters, evaluate) =>
      (parameters.length === 1 ? negate : subtract).call(scope, parameters, evaluate),
  },
  '*': pointwise((left, right) => left * right),
  '/': pointwise((left, right) => left / right),
  '>': condition((left, right) => left > right),
  '>=': condition((left, right) => left >= right),
  '<': condition((left, right) => left < right),
  '<=': condition((left, right) => left <= right),
  '==': condition((left, right) => left === right),
  '!=': condition((left, right) => left !== right),
  and: condition((left, right) => left !== 0 && right !== 0),
  '&&': condition((left, right) => left !== 0 && right !== 0),
  or: condition((left, right) => left !== 0 || right !== 0),
  '||': condition((left, right) => left !== 0 || right !== 0),
  ABS: ofEach(Math.abs),
  CEIL: ofEach(Math.ceil),
  FLOOR: ofEach(Math.floor),
  SUM: aggregate('SUM', sumOf),
  MIN: aggregate('MIN', (values) => Math.min(...values)),
  MAX: aggregate('MAX', (values) => Math.max(...values)),
  /** Unlike for the others, CloudWatch says that a missing value counts as 0. */
  AVG: aggregate('AVG', (values, count) => sumOf(values) / count),
  DIFF: ofSeries('DIFF', (series) => mapWithPrevious(series, ([, value], [, previous]) => value - previous)),
  RATE: ofSeries('RATE', (series) =>
    mapWithPrevious(
      series,
      ([atMs, value], [previousMs, previous]) => ((value - previous) * 1000) / (atMs - previousMs),
    ),
  ),
  RUNNING_SUM: ofSeries('RUNNING_SUM', runningSum),
  IF: ofValues([2, 3], (times, test = Number.NaN, whenTrue = Number.NaN, whenFalse) =>
    choose(times, test, whenTrue, whenFalse),
  ),
  FILL: { counts: [2], call: fill },
  PERIOD: { counts: [1], call: periodOf },
  METRICS: { counts: [0, 1], call: ({ metrics }, [part]) => metrics(part && textOf(part)) },
  INSIGHT_RULE_METRIC: {
    counts: [2],
    call: ({ insightRuleMetric }, [rule, metric]) => insightRuleMetric(textOf(rule), textOf(metric)),
  },
};
