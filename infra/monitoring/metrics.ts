import { Duration, Stack } from 'aws-cdk-lib';
import type { Stage } from 'aws-cdk-lib/aws-apigateway';
import {
  MathExpression,
  type MathExpressionOptions,
  Metric,
  type MetricOptions,
  Stats,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { RequestEvent } from '../../lambdas/api/log-events/request-event.ts';
import { type DimensionOf, type MetricName, metrics } from '../../lambdas/api/metrics.ts';
import { type Table, type TableAction, type TableName, tables } from '../../lambdas/api/tables.ts';
import { apiStage } from '../../lambdas/api/version.ts';

/** The dimension and value that select one series of a metric; empty for a metric without dimensions. */
type Series<Name extends MetricName> = [DimensionOf<Name>] extends [never]
  ? Readonly<Record<string, never>>
  : {
      [Each in DimensionOf<Name>]: {
        // Allowed requests have no series.
        readonly [Dimension in Each]: Exclude<NonNullable<RequestEvent[Each]>, 'allowed'>;
      };
    }[DimensionOf<Name>];

/**
 * Returns the name of the stage's stack, which is the prefix of all names. A nested stack uses it too, since its own name is
 * generated.
 */
export const stageNameOf = (scope: Construct): string => {
  const stack = Stack.of(scope);
  return (stack.nestedStackParent ?? stack).stackName;
};

/** Returns a metric that the service itself writes. */
export type OwnMetric = <Name extends MetricName>(name: Name, series: Series<Name>, options?: MetricOptions) => Metric;

export const ownMetricsOf =
  (namespace: string): OwnMetric =>
  (name, series, options = {}) =>
    new Metric({
      namespace,
      metricName: name,
      dimensionsMap: series,
      statistic: metrics[name].unit === 'Count' ? Stats.SUM : Stats.MAXIMUM,
      ...options,
    });

/**
 * Returns the number of requests that API Gateway forwarded to a function, and the number answered with 5xx. Requests that
 * API Gateway itself refuses do not count: strangers at the edge must not hide failures of partners. Only a forwarded request
 * has an integration latency, so the samples of that metric are counted.
 */
export const gatewayCounts = (stage: Stage, period: Duration) => {
  // Literal names create no dependency: functions depend on an alarm over these metrics, and the stage depends on functions.
  const dimensionsMap = { ApiName: stage.restApi.restApiName, Stage: apiStage };
  return {
    forwarded: stage.metricIntegrationLatency({ statistic: Stats.SAMPLE_COUNT, period, dimensionsMap }),
    failures: stage.metricServerError({ statistic: Stats.SUM, period, dimensionsMap }),
  };
};

/** The valid requests of a service level, over `gatewayCounts`. API Gateway can also fail a request before it forwards it. */
export const validRequests = 'IF(FILL(forwarded, 0) > failures, forwarded, failures)';

/** Returns the concurrent executions of the whole account in this region, to which the quota applies. */
export const accountConcurrency = (options: MetricOptions = {}): Metric =>
  new Metric({
    namespace: 'AWS/Lambda',
    metricName: 'ConcurrentExecutions',
    statistic: Stats.MAXIMUM,
    ...options,
  });

/** Returns a DynamoDB metric of a table as a whole. */
export const tableMetric = (table: ITableV2, metricName: string, options: MetricOptions = {}): Metric =>
  table.metric(metricName, { statistic: Stats.SUM, ...options });

/** Returns the throttled requests of a table and those of its indexes, which DynamoDB counts separately. */
export const throttleMetrics = (name: TableName, table: ITableV2): Record<string, Metric> => {
  const { indexes = {} }: Table = tables[name];
  const ofIndexes = Object.keys(indexes).map((index) => [
    index,
    tableMetric(table, 'WriteThrottleEvents', {
      dimensionsMap: { TableName: table.tableName, GlobalSecondaryIndexName: index },
    }),
  ]);
  return {
    reads: tableMetric(table, 'ReadThrottleEvents'),
    writes: tableMetric(table, 'WriteThrottleEvents'),
    ...Object.fromEntries(ofIndexes),
  };
};

/** Returns the operations as which DynamoDB counts an action. A write may also be part of a transaction. */
const operationsOf = (action: TableAction): readonly string[] => {
  if (action === 'ConditionCheckItem') return ['TransactWriteItems'];
  return /^(Delete|Put|Update)/.test(action) ? [action, 'TransactWriteItems'] : [action];
};

/** Returns DynamoDB's latency for each operation that is used on the table. */
export const tableLatencies = (table: ITableV2, actions: readonly TableAction[], options: MetricOptions): Metric[] =>
  [...new Set(actions.flatMap(operationsOf))].map(
    (Operation) =>
      new Metric({
        namespace: 'AWS/DynamoDB',
        metricName: 'SuccessfulRequestLatency',
        dimensionsMap: { TableName: table.tableName, Operation },
        ...options,
      }),
  );

/** Returns the feed lag in seconds: the age of the oldest record that a function has just written to the feed. */
export const feedAge = (recorders: readonly IFunction[], options: MathExpressionOptions = {}): MathExpression => {
  const period = Duration.minutes(5);
  const ages = recorders.map(
    (recorder, index) =>
      [`recorder${index}`, recorder.metric('IteratorAge', { statistic: Stats.MAXIMUM, period })] as const,
  );
  return new MathExpression({
    expression: `MAX([${ages.map(([id]) => id).join(', ')}]) / 1000`,
    usingMetrics: Object.fromEntries(ages),
    period,
    ...options,
  });
};
