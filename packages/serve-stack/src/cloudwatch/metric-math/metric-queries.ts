import { UserFacingError } from '../../errors/user-facing-error.ts';
import type { InsightRules } from '../contributors/insight-rules.ts';
import type { MetricIdentity, MetricStore } from '../metrics/metric-store.ts';
import { seriesOf, type TimeSeries, type Times, type Value } from '../metrics/time-series.ts';
import { evaluateMath, type MathExpression } from './metric-math.ts';

/** One line of a graph or of an alarm's `Metrics`: a statistic of a metric, or an expression over the lines beside it. */
export type MetricQuery = {
  readonly id: string | undefined;
  readonly periodMs: number;
} & (
  | { readonly kind: 'metric'; readonly metric: MetricIdentity; readonly statistic: string }
  | { readonly kind: 'expression'; readonly expression: MathExpression }
);

export type MetricSources = { readonly metricStore: MetricStore; readonly insightRules: InsightRules };

/**
 * Evaluates queries that may refer to each other. `timesOf` gives the starts of the periods to evaluate at, for the
 * length of a period.
 */
export const createQueryEvaluator = (
  queries: readonly MetricQuery[],
  { metricStore, insightRules }: MetricSources,
  timesOf: (periodMs: number) => Times,
): ((query: MetricQuery) => Value) => {
  const underWay = new Set<MetricQuery>();

  const queryOf = (id: string): MetricQuery => {
    const query = queries.find((each) => each.id === id);
    if (!query)
      throw new UserFacingError(`An expression of metric math refers to ${id}, which stands nowhere beside it.`);
    return query;
  };

  const metricSeries = ({ metric, statistic, periodMs }: MetricQuery & { kind: 'metric' }): TimeSeries =>
    seriesOf(timesOf(periodMs), (atMs) => metricStore.statistic(metric, statistic, atMs, atMs + periodMs));

  const evaluate = (query: MetricQuery): Value => {
    if (query.kind === 'metric') return metricSeries(query);
    const { expression, periodMs } = query;
    if (underWay.has(query)) throw new UserFacingError(`The expression ${expression.text} refers to itself.`);
    underWay.add(query);
    const valueFor = (operand: MetricQuery): Value => {
      requireSamePeriod(query, operand);
      return evaluate(operand);
    };
    const times = timesOf(periodMs);
    const value = evaluateMath(expression, {
      times,
      valueOf: (id) => valueFor(queryOf(id)),
      metrics: (part = '') =>
        queries
          .filter((each) => each.kind === 'metric')
          .filter(({ id = '' }) => id.includes(part))
          .map((each) => valueFor(each) as TimeSeries),
      periodMsOf: (id) => queryOf(id).periodMs,
      insightRuleMetric: (ruleName, metricName) => insightRules.metric(ruleName, metricName, times, periodMs),
    });
    underWay.delete(query);
    return value;
  };
  return evaluate;
};

/** CloudWatch would bring them to one period in its own way, which its documents do not tell. */
const requireSamePeriod = (query: MetricQuery & { kind: 'expression' }, operand: MetricQuery): void => {
  if (query.periodMs === operand.periodMs) return;
  const seconds = ({ periodMs }: MetricQuery) => `${periodMs / 1000} s`;
  throw new UserFacingError(
    `The expression ${query.expression.text} has a period of ${seconds(query)}, a metric in it one of ${seconds(operand)}.`,
  );
};

/** A metric's period, in seconds, as CloudWatch keeps it: whole minutes. */
export const periodMsOf = (seconds: number): number => {
  if (!Number.isInteger(seconds / 60) || seconds <= 0)
    throw new UserFacingError(`The local run does not know a period of ${seconds} s; it keeps metrics by the minute.`);
  return seconds * 1000;
};
