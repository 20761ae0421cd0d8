import { type Check, listOf, resourcesOf } from './check.ts';
import { faultsOfMath, faultsOfStatistics } from './metric-math.ts';

type Query = {
  readonly Id: string;
  readonly Expression?: string;
  readonly MetricStat?: { readonly Stat: string };
  readonly ReturnData?: boolean;
};

/** Finds alarms that watch no value or several, or reckon with a metric or a statistic that is not there. */
export const checkAlarmMetrics: Check = (template) =>
  resourcesOf(template, 'AWS::CloudWatch::Alarm').flatMap(({ logicalId, properties }) => {
    const queries = listOf<Query>(properties.Metrics);
    const watched = queries.filter(({ ReturnData = true }) => ReturnData).length;
    const sentences = [
      ...(queries.length > 0 && watched !== 1
        ? [`watches ${watched} of its metrics; set ReturnData to true for exactly one.`]
        : []),
      ...faultsOfStatistics([properties.ExtendedStatistic, ...queries.map(({ MetricStat }) => MetricStat?.Stat)]),
      ...faultsOfMath(queries.map(({ Id, Expression }) => ({ id: Id, expression: Expression }))),
    ];
    return sentences.map((sentence) => ({ logicalId, sentence }));
  });
