import { type Check, listOf, resourcesOf } from './check.ts';

const hour = 3600;
const day = 24 * hour;

type Query = {
  readonly Period?: number;
  readonly MetricStat?: { readonly Period: number };
};

/** Finds alarms that look back further than CloudWatch lets them, or by periods that it does not know. */
export const checkAlarmWindows: Check = (template) =>
  resourcesOf(template, 'AWS::CloudWatch::Alarm').flatMap(({ logicalId, properties }) => {
    const { EvaluationPeriods: evaluated, DatapointsToAlarm: datapoints = evaluated } = properties;
    const periods = [properties as Query, ...listOf<Query>(properties.Metrics)].flatMap(
      ({ Period, MetricStat }) => Period ?? MetricStat?.Period ?? [],
    );
    const period = Math.max(0, ...periods);
    const limit = period < hour ? day : 7 * day;
    const sentences = [
      ...periods
        .filter((each) => !isKnown(each))
        .map((each) => `has a period of ${each} s; write 10, 20, 30 or a multiple of 60.`),
      ...(period * evaluated > limit
        ? [
            `looks back ${period * evaluated} s, and CloudWatch allows ${limit} s; lower EvaluationPeriods or the period.`,
          ]
        : []),
      ...(datapoints > evaluated
        ? [`needs ${datapoints} datapoints of ${evaluated}; lower DatapointsToAlarm or raise EvaluationPeriods.`]
        : []),
    ];
    return sentences.map((sentence) => ({ logicalId, sentence }));
  });

const isKnown = (period: number) => [10, 20, 30].includes(period) || (period > 0 && period % 60 === 0);
