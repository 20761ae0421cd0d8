import { UserFacingError } from '../../errors/user-facing-error.ts';
import type { Expression } from '../expression.ts';
import {
  isSeries,
  isSeveral,
  mapSeries,
  seriesOf,
  type TimeSeries,
  type Times,
  type Value,
  valueAt,
} from '../metrics/time-series.ts';

/** Holds what an expression is computed over. */
export type MathScope = {
  readonly times: Times;
  readonly valueOf: (id: string) => Value;
  /** The metrics beside the expression, or those whose id contains a text. */
  readonly metrics: (idPart?: string) => readonly TimeSeries[];
  readonly periodMsOf: (id: string) => number;
  readonly insightRuleMetric: (ruleName: string, metricName: string) => TimeSeries;
};

export type Call = (
  scope: MathScope,
  parameters: readonly Expression[],
  evaluate: (expression: Expression) => Value,
) => Value;

export type MathFunction = { readonly counts: readonly number[]; readonly call: Call };

/** A function of the values of its parameters. */
export const ofValues = (
  counts: readonly number[],
  apply: (times: Times, ...values: Value[]) => Value,
): MathFunction => ({
  counts,
  call: ({ times }, parameters, evaluate) => apply(times, ...parameters.map(evaluate)),
});

/**
 * A function of two values at each time at which there is a series that has one. Where the other series has none, the
 * value is missing, or `missing` takes its place.
 */
export const pointwise = (apply: (left: number, right: number) => number, missing?: number): MathFunction => {
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
export const condition = (holds: (left: number, right: number) => boolean) =>
  pointwise((left, right) => Number(holds(left, right)), 0);

export const ofEach = (apply: (value: number) => number): MathFunction =>
  ofValues([1], (times, value = Number.NaN) =>
    mapSeries(value, (each) =>
      isSeries(each) ? seriesOf(times, (atMs) => optional(apply, each.get(atMs))) : apply(each),
    ),
  );

const optional = (apply: (value: number) => number, value: number | undefined) =>
  value === undefined ? undefined : apply(value);

/** Makes of several series one, at each time of the values that there are, and of one series a scalar, of all its values. */
export const aggregate = (
  name: string,
  apply: (values: readonly number[], seriesCount: number) => number,
): MathFunction =>
  ofValues([1], (times, value = Number.NaN) => {
    if (typeof value === 'number') throw new UserFacingError(`${name} of metric math takes series, not a number.`);
    if (isSeries(value)) return apply([...value.values()], value.size);
    return seriesOf(times, (atMs) => {
      const values = value.flatMap((series) => series.get(atMs) ?? []);
      return values.length === 0 ? undefined : apply(values, value.length);
    });
  });

export const ofSeries = (name: string, apply: (series: TimeSeries) => TimeSeries): MathFunction =>
  ofValues([1], (_, value = Number.NaN) =>
    mapSeries(value, (each) => {
      if (!isSeries(each)) throw new UserFacingError(`${name} of metric math takes series, not a number.`);
      return apply(each);
    }),
  );
