import { requireKnown } from '../../errors/require-known.ts';
import { UserFacingError } from '../../errors/user-facing-error.ts';
import { parseMath } from '../metric-math/metric-math.ts';
import { type MetricQuery, periodMsOf } from '../metric-math/metric-queries.ts';
import type { MetricIdentity } from '../metrics/metric-store.ts';
import type { TreatMissingData } from './alarm-state.ts';
import { comparisons, type MetricAlarm } from './metric-alarm.ts';

type MetricProperties = {
  readonly MetricName: string;
  readonly Namespace: string;
  readonly Dimensions?: readonly { readonly Name: string; readonly Value: string }[];
};

type DataQuery = {
  readonly Id: string;
  readonly Expression?: string;
  readonly MetricStat?: { readonly Metric: MetricProperties; readonly Period: number; readonly Stat: string };
  readonly Period?: number;
  readonly ReturnData?: boolean;
};

/** Holds the properties as they stand in the template, intrinsics resolved. */
export type MetricAlarmProperties = MetricProperties & {
  readonly logicalId: string;
  readonly AlarmDescription?: string;
  readonly ComparisonOperator: string;
  readonly DatapointsToAlarm?: number;
  readonly EvaluateLowSampleCountPercentile?: string;
  readonly EvaluationPeriods: number;
  readonly ExtendedStatistic?: string;
  readonly Metrics?: readonly DataQuery[];
  readonly Period: number;
  readonly Statistic?: string;
  readonly Threshold: number;
  readonly TreatMissingData?: TreatMissingData;
};

const metricProperties = ['MetricName', 'Namespace', 'Dimensions'];

/** Lists the properties that only a metric alarm has. */
export const metricAlarmProperties = [
  ...metricProperties,
  'ComparisonOperator',
  'DatapointsToAlarm',
  'EvaluateLowSampleCountPercentile',
  'EvaluationPeriods',
  'ExtendedStatistic',
  'Metrics',
  'Period',
  'Statistic',
  'Threshold',
  'TreatMissingData',
];

/** Reads a metric alarm; what is not known of it is an error that names it. */
export const metricAlarmOf = (name: string, properties: MetricAlarmProperties): MetricAlarm => {
  const {
    ComparisonOperator,
    EvaluationPeriods,
    DatapointsToAlarm = EvaluationPeriods,
    EvaluateLowSampleCountPercentile = 'evaluate',
    TreatMissingData = 'missing',
    Threshold,
  } = properties;
  const known = (what: string, value: string, values: readonly string[]) =>
    requireKnown(`${what} of the alarm ${name}:`, [value], values);
  known('comparison', ComparisonOperator, Object.keys(comparisons));
  known('treatment of missing data', TreatMissingData, ['missing', 'ignore', 'breaching', 'notBreaching']);
  known('treatment of few samples', EvaluateLowSampleCountPercentile, ['evaluate']);
  return {
    name,
    ...(properties.Metrics ? queriesOf(name, properties.Metrics) : singleQueryOf(name, properties)),
    comparison: ComparisonOperator,
    threshold: Threshold,
    evaluationPeriods: EvaluationPeriods,
    datapointsToAlarm: DatapointsToAlarm,
    treatMissingData: TreatMissingData,
  };
};

const singleQueryOf = (name: string, properties: MetricAlarmProperties) => {
  const { Statistic, ExtendedStatistic, Period } = properties;
  const statistic = Statistic ?? ExtendedStatistic;
  if (statistic === undefined) throw new UserFacingError(`The alarm ${name} names no statistic.`);
  const metric = identityOf(properties);
  const watched: MetricQuery = { id: undefined, kind: 'metric', metric, statistic, periodMs: periodMsOf(Period) };
  return { queries: [watched], watched };
};

const queriesOf = (name: string, metrics: readonly DataQuery[]) => {
  const periods = [...new Set(metrics.flatMap(({ Period, MetricStat }) => Period ?? MetricStat?.Period ?? []))];
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
  const members = ['Id', 'Expression', 'MetricStat', 'Label', 'Period', 'ReturnData'];
  requireKnown(`member of a metric of the alarm ${name}:`, Object.keys(query), members);
  const { Id: id, Expression, MetricStat } = query;
  if (Expression !== undefined) return { id, periodMs, kind: 'expression', expression: parseMath(Expression) };
  if (!MetricStat) throw new UserFacingError(`The metric ${id} of the alarm ${name} is neither metric nor expression.`);
  requireKnown(`member of a metric of the alarm ${name}:`, Object.keys(MetricStat), ['Metric', 'Period', 'Stat']);
  requireKnown(`member of a metric of the alarm ${name}:`, Object.keys(MetricStat.Metric), metricProperties);
  return { id, periodMs, kind: 'metric', metric: identityOf(MetricStat.Metric), statistic: MetricStat.Stat };
};

const identityOf = ({ Namespace, MetricName, Dimensions = [] }: MetricProperties): MetricIdentity => ({
  namespace: Namespace,
  name: MetricName,
  dimensions: Object.fromEntries(Dimensions.map(({ Name, Value }) => [Name, Value])),
});
