import { Duration } from 'aws-cdk-lib';
import { ComparisonOperator, MathExpression, type Metric, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { TableAction, TableName } from '../../../lambdas/api/tables.ts';
import { throttleMetrics } from '../metrics.ts';
import { type AlarmDefinitions, type AlarmSources, holding, untilSomebodyActs } from './alarm-definition.ts';
import { lastKeyDays } from './service-levels.ts';

const period = Duration.minutes(5);
const periods = 2;

/** One for each table. */
export const tableAlarms = ({ tables, tableActions }: AlarmSources): AlarmDefinitions =>
  Object.fromEntries(
    (Object.entries(tables) as [TableName, TableV2][]).map(([name, table]) => {
      const { reads, ...writes } = throttleMetrics(name, table);
      const isRead = tableActions[name]?.some(reading) ?? false;
      // A metric that an alarm reads is paid, and no function can have reads throttled that none makes.
      const usingMetrics: Record<string, Metric> = isRead && reads ? { reads, ...writes } : writes;
      const definition = {
        metric: new MathExpression({
          expression: `SUM([${Object.keys(usingMetrics).join(', ')}])`,
          usingMetrics,
          period,
          label: 'Throttled',
        }),
        threshold: 0,
        periods,
        // A table that is paid by the request splits where it is hot, within the hour.
        lastsAtMostHours: 1,
        urgency: 'ticket',
        symptom: `DynamoDB throttles the table ${name}, for ${holding(period, periods)}.`,
        firstQuery: 'slowest-requests',
        runbook: 'table-throttles',
      } as const;
      return [`throttles-${name}`, definition];
    }),
  );

const reading = (action: TableAction): boolean => !/^(Delete|Put|Update)/.test(action);

/** Companies that are about to be locked out, and the watch that would know. */
export const keyAlarms = ({ own, keyWatch }: AlarmSources): AlarmDefinitions => {
  const lastKey = {
    // Longer than a day, so that a run of the watch is always within it, however late.
    metric: own('DaysToLastKeyExpiry', {}, { statistic: Stats.MINIMUM, period: Duration.hours(36) }),
    lastsAtMostHours: untilSomebodyActs,
    comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
    firstQuery: 'key-watch-runs',
    runbook: 'last-key-expiring',
  } as const;
  return {
    'last-key-expiring': {
      ...lastKey,
      threshold: lastKeyDays.ticket,
      treatMissingData: TreatMissingData.MISSING,
      tellsSilence: true,
      urgency: 'ticket',
      symptom: `In less than ${lastKeyDays.ticket} days a company is left without a valid key.`,
    },
    'last-key-expiring-soon': {
      ...lastKey,
      threshold: lastKeyDays.page,
      urgency: 'page',
      symptom: `In less than ${lastKeyDays.page} days a company is locked out, and nobody has acted on the notices.`,
    },
    'key-watch': {
      metric: keyWatch.metricErrors({ period: Duration.hours(1) }),
      threshold: 0,
      // It runs once a day.
      lastsAtMostHours: 1,
      urgency: 'ticket',
      symptom: 'The daily watch of expiring keys fails: nobody is told which of them expire.',
      firstQuery: 'key-watch-runs',
      runbook: 'key-watch',
    },
  };
};
