import { Duration } from 'aws-cdk-lib';
import { MathExpression, SingleValueWidget, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { TableAction, TableName } from '../lambdas/api/tables.ts';
import { chart, chartHeight, chartWidth, colors } from './charts.ts';
import type { DashboardSources, Section } from './dashboard.ts';
import { accountConcurrency, gatewayCounts, tableLatencies, tableMetric } from './measures.ts';
import { concurrencyWarningShare } from './service-levels.ts';

const aMinute = Duration.minutes(1);

/** Do the functions start, run and have room? */
export const functions: Section = ({ functions: handlers, stage, own, lambdaConcurrencyQuota }) => [
  chart(
    'Functions: concurrent executions of the account',
    [accountConcurrency({ label: 'executions', period: aMinute })],
    {
      leftAnnotations: [
        { value: concurrencyWarningShare * lambdaConcurrencyQuota, label: 'alarm', color: colors.failed },
      ],
    },
  ),
  chart('Functions: crashed and throttled invocations', [
    gatewayCounts(stage, aMinute).failures.with({ label: 'all 5xx answers', color: colors.secondary }),
    sumOverAll(handlers, 'Errors', colors.failed),
    sumOverAll(handlers, 'Throttles', colors.limited),
  ]),
  chart('Functions: time to start, ms', [
    own('InitMs', {}, { statistic: Stats.percentile(50), label: 'p50', period: aMinute }),
    own('InitMs', {}, { statistic: Stats.MAXIMUM, label: 'slowest', color: colors.limited, period: aMinute }),
  ]),
];

const sumOverAll = (handlers: Readonly<Record<string, IFunction>>, metricName: string, color: string) => {
  const usingMetrics = Object.fromEntries(
    Object.values(handlers).map((handler, index) => [
      `${metricName.toLowerCase()}${index}`,
      handler.metric(metricName, { statistic: Stats.SUM }),
    ]),
  );
  const expression = `SUM([${Object.keys(usingMetrics).join(', ')}])`;
  return new MathExpression({ label: metricName.toLowerCase(), color, expression, usingMetrics, period: aMinute });
};

/** Does DynamoDB answer, and what does it cost? */
export const tables: Section = (sources) => {
  const quarter = { width: 6 };
  const perTable = (metricName: string) =>
    Object.entries(sources.tables).map(([label, table]) => tableMetric(table, metricName, { label, period: aMinute }));
  return [
    chart('Tables: read units', perTable('ConsumedReadCapacityUnits'), quarter),
    chart('Tables: write units', perTable('ConsumedWriteCapacityUnits'), quarter),
    chart('Tables: throttled', [...perTable('ReadThrottleEvents'), ...perTable('WriteThrottleEvents')], quarter),
    chart('Tables: p99 of the slowest operation, ms', slowestOperations(sources), quarter),
  ];
};

const slowestOperations = ({ tables, tableActions }: DashboardSources) =>
  (Object.entries(tableActions) as [TableName, readonly TableAction[]][]).map(([name, actions]) => {
    const latencies = tableLatencies(tables[name], actions, { statistic: Stats.percentile(99) });
    const usingMetrics = Object.fromEntries(
      latencies.map((latency, index) => [`${name.charAt(0).toLowerCase()}${name.slice(1)}${index}`, latency]),
    );
    const expression = `MAX([${Object.keys(usingMetrics).join(', ')}])`;
    return new MathExpression({ label: name, expression, usingMetrics, period: aMinute });
  });

/** Will a partner be locked out? */
export const keys: Section = ({ own }) => {
  const aDay = Duration.days(1);
  return [
    new SingleValueWidget({
      title: 'Days until a company is left without a valid key',
      metrics: [own('DaysToLastKeyExpiry', {}, { statistic: Stats.MINIMUM, label: 'days', period: aDay })],
      width: chartWidth,
      height: chartHeight,
    }),
    new SingleValueWidget({
      title: 'Valid keys that run out within 60 days',
      metrics: [own('KeysExpiring', {}, { statistic: Stats.MAXIMUM, label: 'keys', period: aDay })],
      width: chartWidth,
      height: chartHeight,
    }),
    chart('Keys issued and deleted', [
      own('KeysIssued', {}, { label: 'issued', color: colors.calm, period: Duration.minutes(5) }),
      own('KeysDeleted', {}, { label: 'deleted', color: colors.secondary, period: Duration.minutes(5) }),
    ]),
  ];
};
