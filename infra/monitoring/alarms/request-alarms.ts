import { Duration } from 'aws-cdk-lib';
import { ComparisonOperator, MathExpression, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { accountConcurrency, gatewayCounts } from '../metrics.ts';
import { type AlarmDefinitions, type AlarmSources, fewestFailures, holding } from './alarm-definition.ts';
import { concurrencyWarningShare, latencyObjectiveMs, unavailableSharePercent } from './service-levels.ts';

/** Fewer requests than this are not judged: the slowest, perhaps a cold start, would stand for all. */
const fewestForPercentile = 20;

const fiveMinutes = Duration.minutes(5);
const latencyPeriods = 3;

/** As long as requests suffer, and until the window has passed. */
const ofRequests = { lastsAtMostHours: 1 } as const;

/** What keeps requests from being answered, and answered soon. */
export const requestAlarms = ({ stage, own, monitoring }: AlarmSources): AlarmDefinitions => ({
  latency: {
    metric: new MathExpression({
      expression: `IF(forwarded >= ${fewestForPercentile}, p99, 0)`,
      usingMetrics: {
        forwarded: gatewayCounts(stage, fiveMinutes).forwarded,
        // Of forwarded requests only: strangers, whom API Gateway refuses at once, would hide that partners wait.
        p99: stage.metricIntegrationLatency({ statistic: Stats.percentile(99), period: fiveMinutes }),
      },
      period: fiveMinutes,
      label: 'p99, ms',
    }),
    threshold: latencyObjectiveMs,
    periods: latencyPeriods,
    ...ofRequests,
    urgency: 'page',
    symptom: `One in a hundred requests takes longer than ${latencyObjectiveMs} ms, for ${holding(fiveMinutes, latencyPeriods)}.`,
    firstQuery: 'slowest-requests',
    runbook: 'latency',
  },
  'store-unavailable': {
    metric: new MathExpression({
      expression: `IF(FILL(unavailable, 0) >= ${fewestFailures}, 100 * unavailable / forwarded, 0)`,
      usingMetrics: {
        unavailable: own('Requests', { reason: 'service-unavailable' }, { period: fiveMinutes }),
        forwarded: gatewayCounts(stage, fiveMinutes).forwarded,
      },
      period: fiveMinutes,
      label: 'Answered with 503, %',
    }),
    threshold: unavailableSharePercent,
    comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    ...ofRequests,
    urgency: 'page',
    symptom:
      `At least ${unavailableSharePercent} % of all requests are answered with 503, because a table that the limiter or ` +
      'a handler needs does not answer.',
    firstQuery: 'failures-by-cause',
    runbook: 'store-unavailable',
  },
  concurrency: {
    metric: accountConcurrency({ period: Duration.minutes(1) }),
    threshold: concurrencyWarningShare * monitoring.lambdaConcurrencyQuota,
    comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    periods: 3,
    ...ofRequests,
    urgency: 'page',
    symptom:
      `${100 * concurrencyWarningShare} % of the account's ${monitoring.lambdaConcurrencyQuota} concurrent ` +
      'executions are taken; beyond the quota requests fail.',
    firstQuery: 'traffic-by-company',
    runbook: 'concurrency',
  },
  'audit-write-failures': {
    metric: own('AuditWriteFailures', {}, { period: fiveMinutes }),
    threshold: 0,
    ...ofRequests,
    urgency: 'ticket',
    symptom:
      'Changes fail in their transaction. A change and its audit row stand or fall together: nothing is missing in the audit log.',
    firstQuery: 'unrecorded-changes',
    runbook: 'audit-write-failures',
  },
});
