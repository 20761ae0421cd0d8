import { Duration } from 'aws-cdk-lib';
import { MathExpression, type MetricOptions, SingleValueWidget, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { noticeDays } from '../../../lambdas/api/limits.ts';
import { type QueueName, queueNames, queuesWithDeadLetters } from '../../../lambdas/api/queues.ts';
import type { TableAction, TableName } from '../../../lambdas/api/tables.ts';
import { maxAges } from '../alarms/integration-alarms.ts';
import { concurrencyWarningShare } from '../alarms/service-levels.ts';
import {
  accountConcurrency,
  feedAge,
  gatewayCounts,
  tableLatencies,
  tableMetric,
  throttleMetrics,
} from '../metrics.ts';
import {
  chart,
  chartHeight,
  chartWidth,
  colors,
  combined,
  type DashboardSources,
  palette,
  type Section,
} from './charts.ts';

const fiveMinutes = Duration.minutes(5);

/** Do the functions start, run and have room? */
export const functions: Section = ({ functions: handlers, stage, own, monitoring }) => [
  chart(
    'Functions: concurrent executions of the account',
    [accountConcurrency({ label: 'executions', period: fiveMinutes })],
    {
      leftAnnotations: [
        { value: concurrencyWarningShare * monitoring.lambdaConcurrencyQuota, label: 'alarm', color: colors.failed },
      ],
    },
  ),
  chart('Functions: crashed and throttled invocations', [
    gatewayCounts(stage, fiveMinutes).failures.with({ label: 'all 5xx answers', color: colors.secondary }),
    sumOverAll(handlers, 'Errors', colors.failed),
    sumOverAll(handlers, 'Throttles', colors.limited),
  ]),
  chart('Functions: time to start, ms', [
    own('InitMs', {}, { statistic: Stats.percentile(50), label: 'p50', period: fiveMinutes }),
    own('InitMs', {}, { statistic: Stats.MAXIMUM, label: 'slowest', color: colors.limited, period: fiveMinutes }),
  ]),
];

const sumOverAll = (handlers: Readonly<Record<string, IFunction>>, metricName: string, color: string) =>
  combined(
    'SUM',
    metricName.toLowerCase(),
    Object.values(handlers).map((handler) => handler.metric(metricName, { statistic: Stats.SUM })),
    color,
  );

/** Does DynamoDB answer, and what does it cost? */
export const tables: Section = (sources) => {
  const quarter = { width: 6 };
  const perTable = (metricName: string) =>
    Object.entries(sources.tables).map(([label, table]) =>
      tableMetric(table, metricName, { label, period: fiveMinutes }),
    );
  return [
    chart('Tables: read units', perTable('ConsumedReadCapacityUnits'), quarter),
    chart('Tables: write units', perTable('ConsumedWriteCapacityUnits'), quarter),
    chart('Tables: throttled', throttled(sources), quarter),
    chart('Tables: p99 of the slowest operation, ms', slowestOperations(sources), quarter),
  ];
};

const throttled = ({ tables }: DashboardSources) =>
  (Object.entries(tables) as [TableName, ITableV2][]).map(([name, table]) =>
    combined('SUM', name, Object.values(throttleMetrics(name, table))),
  );

const slowestOperations = ({ tables, tableActions }: DashboardSources) =>
  (Object.entries(tableActions) as [TableName, readonly TableAction[]][]).map(([name, actions]) =>
    combined('MAX', name, tableLatencies(tables[name], actions, { statistic: Stats.percentile(99) })),
  );

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
      title: `Valid keys that run out within ${noticeDays[0]} days`,
      metrics: [own('KeysExpiring', {}, { statistic: Stats.MAXIMUM, label: 'keys', period: aDay })],
      width: chartWidth,
      height: chartHeight,
    }),
    chart('Keys issued and deleted', [
      own('KeysIssued', {}, { label: 'issued', color: colors.neutral, period: fiveMinutes }),
      own('KeysDeleted', {}, { label: 'deleted', color: colors.secondary, period: fiveMinutes }),
    ]),
  ];
};

/** Are messages received from the maker's other systems, and sent to them? */
export const integrationQueues: Section = ({ integrations }) => {
  const { queues, relay, feedRecorders, relayFailures, feedFailures, undelivered } = integrations;
  const ofEach = (draw: (name: QueueName, options: MetricOptions) => ReturnType<typeof visible>) =>
    queueNames.map((name, index) => draw(name, line(name, index)));
  return [
    chart(
      'Integrations: messages that wait',
      ofEach((name, options) => visible(queues[name].queue, options)),
    ),
    chart(
      'Integrations: age of the oldest, s',
      [
        ...ofEach((name, options) => queues[name].queue.metricApproximateAgeOfOldestMessage(options)),
        new MathExpression({
          label: 'relay',
          expression: 'iteratorAge / 1000',
          usingMetrics: { iteratorAge: relay.metric('IteratorAge', { statistic: Stats.MAXIMUM, period: fiveMinutes }) },
          period: fiveMinutes,
          color: colors.secondary,
        }),
        feedAge(feedRecorders, { label: 'feed', color: palette[queueNames.length + 2] as string }),
      ],
      {
        leftAnnotations: [
          {
            value: maxAges.portalEvent.toSeconds(),
            label: 'page: portalEvents, requestedChanges',
            color: colors.failed,
          },
          {
            value: maxAges.gatewayReport.toSeconds(),
            label: 'page: gatewayReports, relay, feed',
            color: colors.failed,
          },
        ],
      },
    ),
    chart('Integrations: dead letters', [
      ...queuesWithDeadLetters.map((name) => visible(queues[name].deadLetters, line(name, queueNames.indexOf(name)))),
      visible(undelivered, line('undelivered', queueNames.length)),
      visible(relayFailures, line('relayFailures', queueNames.length + 1)),
      visible(feedFailures, line('feedFailures', queueNames.length + 2)),
    ]),
  ];
};

/** A queue has the same colour on all of these charts. */
const line = (label: string, index: number): MetricOptions => ({
  label,
  color: palette[index] as string,
  statistic: Stats.MAXIMUM,
  period: fiveMinutes,
});

const visible = (queue: Queue, options: MetricOptions) => queue.metricApproximateNumberOfMessagesVisible(options);
