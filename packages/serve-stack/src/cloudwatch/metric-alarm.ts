import { requireKnown, UserFacingError } from '../errors.ts';
import { createQueryEvaluator, type MetricQuery, parseMath, periodMsOf } from './metric-math.ts';
import type { MetricIdentity, MetricStore } from './metric-store.ts';

export type AlarmState = 'OK' | 'ALARM' | 'INSUFFICIENT_DATA';

type TreatMissingData = 'missing' | 'breaching' | 'notBreaching';

/** The state of an alarm at a minute, and the reason. */
export type Judgement = {
  readonly state: AlarmState;
  readonly reason: string;
  readonly lastValue?: number | undefined;
};

/** Evaluates an alarm at a minute, over the periods that end there. */
export type MetricAlarm = (atMs: number) => Judgement;

const metricProperties = ['MetricName', 'Namespace', 'Dimensions'];

type MetricProperties = {
  readonly MetricName: string;
  readonly Namespace: string;
  readonly Dimensions?: readonly { readonly Name: string; readonly Value: string }[];
};

type DataQuery = {
  readonly Id: string;
  readonly Expression?: string;
  readonly MetricStat?: { readonly Metric: MetricProperties; readonly Period: number; readonly Stat: string };
  readonly ReturnData?: boolean;
};

/** The properties in the template, with intrinsic functions resolved. */
export type MetricAlarmProperties = MetricProperties & {
  readonly ComparisonOperator: string;
  readonly EvaluationPeriods: number;
  readonly Metrics?: readonly DataQuery[];
  readonly Period: number;
  readonly Statistic?: string;
  readonly Threshold: number;
  readonly TreatMissingData?: string;
};

/** The properties that only a metric alarm has. */
export const metricAlarmProperties = [
  ...metricProperties,
  ...['ComparisonOperator', 'EvaluationPeriods', 'Metrics', 'Period', 'Statistic', 'Threshold', 'TreatMissingData'],
];

/** Reads a metric alarm. Throws an error that names any unknown property or value. */
export const metricAlarmOf = (
  name: string,
  properties: MetricAlarmProperties,
  metricStore: MetricStore,
): MetricAlarm => {
  const { ComparisonOperator, EvaluationPeriods, Threshold, TreatMissingData = 'missing' } = properties;
  const comparison = comparisons[ComparisonOperator];
  if (!comparison)
    throw new UserFacingError(`The local run does not know the comparison ${ComparisonOperator} of the alarm ${name}.`);
  requireKnown(`treatment of missing data of the alarm ${name}:`, [TreatMissingData], treatmentsOfMissingData);
  const { queries, watched } = properties.Metrics
    ? queriesOf(name, properties.Metrics)
    : singleQueryOf(name, properties);
  const evaluate = createQueryEvaluator(queries, metricStore);

  return (atMs) => {
    const values = Array.from({ length: EvaluationPeriods }, (_, index) =>
      evaluate(watched, atMs - (EvaluationPeriods - index) * watched.periodMs),
    );
    const isBreaching = values.map((value) => (value === undefined ? undefined : comparison.holds(value, Threshold)));
    const breaching = isBreaching.filter((each) => each === true).length;
    const list = values.map((value) => value ?? 'missing').join(', ');
    return {
      state: stateOf(isBreaching, TreatMissingData as TreatMissingData),
      reason: `${breaching} of the last ${values.length} values ${comparison.sign} ${Threshold}: ${list}`,
      lastValue: values.findLast((value) => value !== undefined),
    };
  };
};

const comparisons: Readonly<
  Record<string, { readonly sign: string; readonly holds: (value: number, threshold: number) => boolean }>
> = {
  GreaterThanThreshold: { sign: '>', holds: (value, threshold) => value > threshold },
  GreaterThanOrEqualToThreshold: { sign: '>=', holds: (value, threshold) => value >= threshold },
  LessThanThreshold: { sign: '<', holds: (value, threshold) => value < threshold },
};

const treatmentsOfMissingData: readonly TreatMissingData[] = ['missing', 'breaching', 'notBreaching'];

/**
 * Returns the state of an alarm that needs all evaluated periods to breach. They come oldest first, with `undefined` for a
 * period without a value. CloudWatch also looks further back for values to replace missing ones, but does not document how far;
 * this function does not.
 */
export const stateOf = (
  isBreaching: readonly (boolean | undefined)[],
  treatMissingData: TreatMissingData,
): AlarmState => {
  if (treatMissingData !== 'missing')
    return isBreaching.every((each) => each ?? treatMissingData === 'breaching') ? 'ALARM' : 'OK';
  if (isBreaching.includes(false)) return 'OK';
  // Only breaching values, but too few. CloudWatch goes into ALARM once the oldest of them is old enough.
  return isBreaching[0] ? 'ALARM' : 'INSUFFICIENT_DATA';
};

type Queries = { readonly queries: readonly MetricQuery[]; readonly watched: MetricQuery };

const singleQueryOf = (name: string, { Statistic, Period, ...metric }: MetricAlarmProperties): Queries => {
  if (Statistic === undefined) throw new UserFacingError(`The alarm ${name} names no statistic.`);
  const watched: MetricQuery = {
    id: undefined,
    kind: 'metric',
    metric: identityOf(metric),
    statistic: Statistic,
    periodMs: periodMsOf(Period),
  };
  return { queries: [watched], watched };
};

const queriesOf = (name: string, metrics: readonly DataQuery[]): Queries => {
  const periods = [...new Set(metrics.flatMap(({ MetricStat }) => MetricStat?.Period ?? []))];
  const [period] = periods;
  if (period === undefined || periods.length > 1)
    throw new UserFacingError(`The metrics of the alarm ${name} have to have one period, not ${periods.length}.`);
  const queries = metrics.map((metric) => queryOf(name, metric, periodMsOf(period)));
  const returned = queries.filter((_, index) => metrics[index]?.ReturnData !== false);
  const [watched] = returned;
  if (!watched || returned.length > 1)
    throw new UserFacingError(`The alarm ${name} has to return the data of one metric, not of ${returned.length}.`);
  return { queries, watched };
};

const queryOf = (name: string, query: DataQuery, periodMs: number): MetricQuery => {
  const known = (found: object, members: readonly string[]) =>
    requireKnown(`member of a metric of the alarm ${name}:`, Object.keys(found), members);
  known(query, ['Id', 'Expression', 'MetricStat', 'Label', 'ReturnData']);
  const { Id: id, Expression, MetricStat } = query;
  if (Expression !== undefined) return { id, periodMs, kind: 'expression', expression: parseMath(Expression) };
  if (!MetricStat) throw new UserFacingError(`The metric ${id} of the alarm ${name} is neither metric nor expression.`);
  known(MetricStat, ['Metric', 'Period', 'Stat']);
  known(MetricStat.Metric, metricProperties);
  return { id, periodMs, kind: 'metric', metric: identityOf(MetricStat.Metric), statistic: MetricStat.Stat };
};

const identityOf = ({ Namespace, MetricName, Dimensions = [] }: MetricProperties): MetricIdentity => ({
  namespace: Namespace,
  name: MetricName,
  dimensions: Object.fromEntries(Dimensions.map(({ Name, Value }) => [Name, Value])),
});
