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

/** The dimension and value that pick one series of a metric; nothing for a metric that is one series. */
type Series<Name extends MetricName> = [DimensionOf<Name>] extends [never]
  ? Readonly<Record<string, never>>
  : {
      [Each in DimensionOf<Name>]: {
        // Nothing counts what was allowed.
        readonly [Dimension in Each]: Exclude<NonNullable<RequestEvent[Each]>, 'allowed'>;
      };
    }[DimensionOf<Name>];

/** The name of the stage's stack, which begins all names: also within the nested stack, whose own name CloudFormation makes. */
export const stageNameOf = (scope: Construct): string => {
  const stack = Stack.of(scope);
  return (stack.nestedStackParent ?? stack).stackName;
};

/** A metric of the service's own. */
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
 * The requests that API Gateway has forwarded to a function, and those that were answered with 5xx. What it refuses by
 * itself is not counted: strangers at the edge must not hide that partners fail. Only a forwarded request has an integration
 * latency, so the samples of that are counted.
 */
export const gatewayCounts = (stage: Stage, period: Duration) => {
  // By names, which wait for no resource: functions wait for an alarm over these metrics, and the stage for functions.
  const dimensionsMap = { ApiName: stage.restApi.restApiName, Stage: apiStage };
  return {
    forwarded: stage.metricIntegrationLatency({ statistic: Stats.SAMPLE_COUNT, period, dimensionsMap }),
    failures: stage.metricServerError({ statistic: Stats.SUM, period, dimensionsMap }),
  };
};

/** The valid requests of a service level, by `gatewayCounts`: API Gateway may also fail before it forwards one. */
export const validRequests = 'IF(FILL(forwarded, 0) > failures, forwarded, failures)';

/** Concurrent executions of the whole account in this region: the quota is about them. */
export const accountConcurrency = (options: MetricOptions = {}): Metric =>
  new Metric({
    namespace: 'AWS/Lambda',
    metricName: 'ConcurrentExecutions',
    statistic: Stats.MAXIMUM,
    ...options,
  });

/** A metric that DynamoDB keeps of a table as a whole. */
export const tableMetric = (table: ITableV2, metricName: string, options: MetricOptions = {}): Metric =>
  table.metric(metricName, { statistic: Stats.SUM, ...options });

/** What DynamoDB throttled of a table, those of its indexes included, which it counts apart. */
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

/** What DynamoDB counts an action as: writes may also be part of a transaction. */
const operationsOf = (action: TableAction): readonly string[] => {
  if (action === 'ConditionCheckItem') return ['TransactWriteItems'];
  return /^(Delete|Put|Update)/.test(action) ? [action, 'TransactWriteItems'] : [action];
};

/** How long DynamoDB took to answer, for each way in which the table is used. */
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

/** Feed lag in seconds: the age of the oldest record that a function has just written to the feed. */
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
