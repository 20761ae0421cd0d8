import { Duration } from 'aws-cdk-lib';
import { MathExpression, type Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { TableAction, TableName } from '../../../lambdas/api/tables.ts';
import { throttleMetrics } from '../metrics.ts';
import { type AlarmDefinitions, type AlarmSources, holding } from './alarm-definition.ts';

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
