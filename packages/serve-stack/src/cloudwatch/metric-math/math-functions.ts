import { UserFacingError } from '../../errors/user-facing-error.ts';
import type { Expression } from '../expression.ts';
import {
  isSeveral,
  mapSeries,
  mapWithPrevious,
  seriesOf,
  type TimeSeries,
  type Times,
  type Value,
  valueAt,
} from '../metrics/time-series.ts';
import {
  aggregate,
  type Call,
  condition,
  type MathFunction,
  ofEach,
  ofSeries,
  ofValues,
  pointwise,
} from './math-function-kinds.ts';

const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);

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
    throw new UserFacingError('IF of metric math takes single series only.');
  return seriesOf(times, (atMs) => {
    const isTrue = test.get(atMs);
    if (isTrue === undefined) return undefined;
    return isTrue === 0 ? valueAt(whenFalse, atMs) : (valueAt(whenTrue, atMs) ?? 0);
  });
};

const fill: Call = ({ times }, [series, filler], evaluate) => {
  if (!series || !filler) throw new UserFacingError('FILL of metric math takes a series and its filler.');
  const repeats = filler.kind === 'name' && filler.name === 'REPEAT';
  const value = repeats ? 0 : evaluate(filler);
  if (isSeveral(value)) throw new UserFacingError('FILL of metric math takes one filler.');
  return mapSeries(evaluate(series), (each) => {
    let last: number | undefined;
    return seriesOf(times, (atMs) => {
      last = valueAt(each, atMs) ?? (repeats ? last : valueAt(value, atMs));
      return last;
    });
  });
};

const textOf = (parameter: Expression | undefined): string => {
  if (parameter?.kind !== 'text') throw new UserFacingError('Metric math expects a text in quotes here.');
  return parameter.value;
};

const periodOf: Call = ({ periodMsOf }, [metric]) => {
  if (metric?.kind !== 'name') throw new UserFacingError('PERIOD of metric math takes the id of a metric.');
  return periodMsOf(metric.name) / 1000;
};

const subtract = pointwise((left, right) => left - right);

const negate = ofEach((value) => -value);

/** Lists the functions of metric math by name; operators are functions too. */
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
  /** CloudWatch says of this one alone that a missing value counts as 0. */
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
