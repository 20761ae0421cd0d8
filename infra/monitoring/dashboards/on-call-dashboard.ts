import { Duration, Stack } from 'aws-cdk-lib';
import {
  AlarmStatusWidget,
  Dashboard,
  MathExpression,
  PeriodOverride,
  SingleValueWidget,
  Stats,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { type RatePolicyName, ratePolicies } from '../../../lambdas/api/limits.ts';
import { unservedDecisions } from '../../../lambdas/api/metrics.ts';
import { type ProblemCode, problems } from '../../../lambdas/api/problems.ts';
import { availabilityObjective, budgetPeriod, errorBudget, latencyObjectiveMs } from '../alarms/service-levels.ts';
import { gatewayCounts, stageNameOf, validRequests } from '../metrics.ts';
import {
  ContributorsWidget,
  chart,
  chartWidth,
  colors,
  combined,
  type DashboardSources,
  palette,
  percentilesOf,
  type Section,
} from './charts.ts';
import { functions, integrationQueues, keys, tables } from './resource-sections.ts';

/**
 * The dashboard that a person on call opens first. Its first screen shows whether the cause is the service, one partner or an
 * appliance, without a log query.
 */
export class OnCallDashboard extends Dashboard {
  constructor(scope: Construct, id: string, sources: Omit<DashboardSources, 'region'>) {
    const { region } = Stack.of(scope);
    super(scope, id, {
      dashboardName: `${stageNameOf(scope)}-on-call`,
      defaultInterval: Duration.hours(3),
      // Each widget keeps its own period; that of the error budget is the budget's, whatever time range is shown.
      periodOverride: PeriodOverride.INHERIT,
    });
    for (const section of [health, outcomes, refusals, partners, integrationQueues, functions, tables, keys])
      this.addWidgets(...section({ ...sources, region }));
  }
}

const aMinute = Duration.minutes(1);
const fiveMinutes = Duration.minutes(5);

/** Is an alarm in ALARM, and how much of the error budget is left? */
const health: Section = ({ stage, alarms }) => {
  const failedShare = (label: string, expression: string) =>
    new MathExpression({ label, expression, usingMetrics: gatewayCounts(stage, budgetPeriod), period: budgetPeriod });
  // The title takes one unit.
  const height = 1 + Math.ceil(alarms.length / alarmsOfUnit);
  return [
    new AlarmStatusWidget({
      title: 'Alarms',
      alarms: [...alarms],
      width: 2 * chartWidth,
      height,
    }),
    new SingleValueWidget({
      title: `Objective: ${100 * availabilityObjective} % of all requests in ${budgetPeriod.toDays()} days`,
      // Whatever range the dashboard shows.
      start: `-${budgetPeriod.toIsoString()}`,
      setPeriodToTimeRange: true,
      metrics: [
        failedShare('Error budget left, %', `100 * (1 - failures / ${validRequests} / ${errorBudget})`),
        failedShare('Availability, %', `100 * (1 - failures / ${validRequests})`),
      ],
      width: chartWidth,
      height,
    }),
  ];
};

/** The number of alarms per unit of height: two rows of the alarms with the longest names. */
const alarmsOfUnit = 6;

/** The decisions on requests, their latency, and the throttled companies. */
const outcomes: Section = ({ stage, own, ruleNames, region }) => {
  const total = stage.metricLatency({ statistic: Stats.percentile(99), period: aMinute });
  const inFunction = stage.metricIntegrationLatency({ statistic: Stats.percentile(99), period: aMinute });
  return [
    chart(
      'Requests by decision',
      [
        new MathExpression({
          label: 'allowed',
          // All others are 4xx and 5xx, at the edge or by a function.
          expression: 'arrived - FILL(clientErrors, 0) - FILL(serverErrors, 0)',
          usingMetrics: {
            arrived: stage.metricCount({ statistic: Stats.SUM, period: aMinute }),
            clientErrors: stage.metricClientError({ statistic: Stats.SUM, period: aMinute }),
            serverErrors: stage.metricServerError({ statistic: Stats.SUM, period: aMinute }),
          },
          period: aMinute,
          color: colors.allowed,
        }),
        ...unservedDecisions.map((decision) =>
          own('Requests', { decision }, { label: decision, color: colors[decision], period: aMinute }),
        ),
      ],
      { stacked: true },
    ),
    chart(
      'Latency, ms',
      [
        ...percentilesOf(stage.metricLatency({ period: aMinute })),
        new MathExpression({
          label: "p99, the gateway's share",
          expression: 'total - inFunction',
          usingMetrics: { total, inFunction },
          period: aMinute,
          color: colors.secondary,
        }),
      ],
      { leftAnnotations: [{ value: latencyObjectiveMs, label: 'objective of p99', color: colors.failed }] },
    ),
    new ContributorsWidget({
      title: 'Who is throttled, and since when',
      ruleName: ruleNames.ThrottledByCompany,
      region,
    }),
  ];
};

/** Why requests are refused, with and without reaching a function. */
const refusals: Section = ({ stage, reasons, own }) => [
  chart(
    'Throttled (429) by rate policy',
    (Object.keys(ratePolicies) as RatePolicyName[]).map((ratePolicy) =>
      own('Requests', { ratePolicy }, { label: ratePolicy, period: fiveMinutes }),
    ),
    { stacked: true },
  ),
  chart(
    'Refusals and failures by reason',
    reasonLines(reasons.filter((reason) => reason !== 'rate-limit-exceeded')).map(([label, ofLine], index) =>
      combined(
        'SUM',
        label,
        ofLine.map((reason) => own('Requests', { reason }, { period: fiveMinutes })),
        colorAt(index),
      ),
    ),
    { stacked: true },
  ),
  chart('Refused at the edge, before any function', [
    new MathExpression({
      label: 'requests not forwarded',
      expression: 'arrived - FILL(forwarded, 0)',
      usingMetrics: {
        arrived: stage.metricCount({ statistic: Stats.SUM, period: fiveMinutes }),
        forwarded: gatewayCounts(stage, fiveMinutes).forwarded,
      },
      period: fiveMinutes,
      color: colors.refused,
    }),
  ]),
];

/** The reasons that have a line of their own, since a runbook refers to them by code. */
const alone: readonly ProblemCode[] = ['appliance-function-blocked'];

/** Returns one line for each status. Its label is the code of its only reason, or the status if there are several reasons. */
const reasonLines = (reasons: readonly ProblemCode[]): [label: string, reasons: readonly ProblemCode[]][] => {
  const lines = Map.groupBy(reasons, (reason) => (alone.includes(reason) ? reason : String(problems[reason].status)));
  return [...lines].map(([label, ofLine]) => [ofLine.length === 1 ? (ofLine[0] ?? label) : label, ofLine]);
};

/** Returns the colour of a line, which no other line of the chart has. Throws if there are more lines than colours. */
const colorAt = (index: number): string => {
  const color = palette[index];
  if (color === undefined) throw new Error('There are more lines than colours: add one to the palette in charts.ts.');
  return color;
};

/** Is it one partner? */
const partners: Section = ({ ruleNames, region, own }) => [
  new ContributorsWidget({ title: 'Requests by company', ruleName: ruleNames.RequestsByCompany, region }),
  new ContributorsWidget({ title: 'Failed (5xx) by company', ruleName: ruleNames.FailedByCompany, region }),
  chart('Changes that failed in their transaction', [
    own('AuditWriteFailures', {}, { label: 'changes', color: colors.failed, period: fiveMinutes }),
  ]),
];
