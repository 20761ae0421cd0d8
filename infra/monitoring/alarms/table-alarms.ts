import { Duration } from 'aws-cdk-lib';
import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { TableName } from '../../../lambdas/api/tables.ts';
import { throttleMetrics } from '../metrics.ts';
import { type AlarmDefinitions, type AlarmSources, holding } from './alarm-definition.ts';

const period = Duration.minutes(5);
const periods = 2;

/** One for each table. */
export const tableAlarms = ({ tables }: AlarmSources): AlarmDefinitions =>
  Object.fromEntries(
    (Object.entries(tables) as [TableName, TableV2][]).map(([name, table]) => [
      `throttles-${name}`,
      {
        metric: new MathExpression({
          expression: `SUM([${Object.keys(throttleMetrics(name, table)).join(', ')}])`,
          usingMetrics: throttleMetrics(name, table),
          period,
          label: 'Throttled',
        }),
        threshold: 0,
        periods,
        urgency: 'ticket',
        symptom: `DynamoDB throttles the table ${name}, for ${holding(period, periods)}.`,
        firstQuery: 'slowest-requests',
        runbook: 'table-throttles',
      } as const,
    ]),
  );
