import { Duration } from 'aws-cdk-lib';
import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { TableName } from '../../../lambdas/api/tables.ts';
import { throttleMetrics } from '../metrics.ts';
import type { AlarmDefinitions, AlarmSources } from './alarm-definition.ts';

/** One for each table. */
export const tableAlarms = ({ tables }: AlarmSources): AlarmDefinitions =>
  Object.fromEntries(
    (Object.entries(tables) as [TableName, TableV2][]).map(([name, table]) => [
      `throttles-${name}`,
      {
        metric: new MathExpression({
          expression: `SUM([${Object.keys(throttleMetrics(name, table)).join(', ')}])`,
          usingMetrics: throttleMetrics(name, table),
          period: Duration.minutes(5),
          label: 'Throttled',
        }),
        threshold: 0,
        periods: 2,
        urgency: 'ticket',
        symptom: `DynamoDB throttles the table ${name}, for 10 minutes.`,
        firstQuery: 'slowest-requests',
        runbook: 'table-throttles',
      } as const,
    ]),
  );
