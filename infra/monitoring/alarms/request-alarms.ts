import { Duration } from 'aws-cdk-lib';
import type { Stage } from 'aws-cdk-lib/aws-apigateway';
import { ComparisonOperator, MathExpression, Metric, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { accountConcurrency, gatewayCounts, validRequests } from '../metrics.ts';
import {
  type AlarmDefinition,
  type AlarmDefinitions,
  type AlarmSources,
  breachDuration,
  minFailures,
  type Urgency,
  untilSomebodyActs,
} from './alarm-definition.ts';
import {
  type BurnRate,
  budgetPeriod,
  burnRates,
  certificateDays,
  concurrencyWarningShare,
  errorBudget,
  latencyObjectiveMs,
  unavailableSharePercent,
} from './service-levels.ts';

/** `availability-fast-1h` */
export const burnRateAlarmName = ({ speed }: BurnRate, window: Duration): string =>
  `availability-${speed}-${window.toIsoString().replace(/^PT?/, '').toLowerCase()}`;

/**
 * The alarm that rolls a failing version back: the short window of the fast burn rate. A version that answers a tenth of the
 * requests and fails them all is detected over five minutes at once, but over an hour only when its ten minutes are nearly
 * over.
 */
export const canaryAlarmName = burnRateAlarmName(burnRates[0], burnRates[0].short);

/** Returns two alarms for each burn rate of the error budget, which notify only together. */
export const availabilityAlarms = ({ stage }: Pick<AlarmSources, 'stage'>): AlarmDefinitions =>
  Object.fromEntries(
    burnRates.flatMap((burnRate) =>
      [burnRate.long, burnRate.short].map((window) => [
        burnRateAlarmName(burnRate, window),
        {
          metric: budgetBurn(stage, window),
          threshold: burnRate.rate,
          // The two notify only together, so the shorter window decides.
          lastsAtMostHours: burnRate.short.toHours({ integral: false }),
          symptom:
            `Over the last ${window.toHumanString()} the API answers so many requests with 5xx that the error budget ` +
            `of ${budgetPeriod.toDays()} days lasts for ${daysOfBudget(burnRate)}.`,
          firstQuery: 'failures-by-cause',
          runbook: 'availability',
        } as const,
      ]),
    ),
  );

const daysOfBudget = ({ rate }: BurnRate) => `${(budgetPeriod.toDays() / rate).toFixed(1).replace('.0', '')} days`;

const budgetBurn = (stage: Stage, window: Duration) =>
  new MathExpression({
    expression: `IF(failures >= ${minFailures}, failures / ${validRequests} / ${errorBudget}, 0)`,
    usingMetrics: gatewayCounts(stage, window),
    period: window,
    label: 'Burn rate',
  });

/**
 * The number of requests in a window from which their p99 is judged. One slow request, perhaps a cold start, is the p99 of fewer
 * than a hundred, so nobody is called for these at night.
 */
const fewestForLatency = { page: 100, ticket: 20 } as const;

const fiveMinutes = Duration.minutes(5);
const latencyPeriods = 3;

/** In ALARM as long as requests suffer, and until the window has passed. */
const ofRequests = { lastsAtMostHours: 1 } as const;

/** Alarms for requests that fail or are slow, and for the causes. */
export const requestAlarms = ({ stage, own, monitoring }: AlarmSources): AlarmDefinitions => ({
  latency: latency(stage, 'page'),
  'slow-requests': latency(stage, 'ticket'),
  'store-unavailable': {
    metric: new MathExpression({
      expression: `IF(FILL(unavailable, 0) >= ${minFailures}, 100 * unavailable / forwarded, 0)`,
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
      'a handler needs is unavailable.',
    firstQuery: 'failures-by-cause',
    runbook: 'store-unavailable',
  },
  concurrency: {
    metric: accountConcurrency({ period: Duration.minutes(1) }),
    threshold: concurrencyWarningShare * monitoring.lambdaConcurrencyQuota,
    thresholdInWords: `${100 * concurrencyWarningShare} % of \`lambdaConcurrencyQuota\``,
    comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    periods: 3,
    ...ofRequests,
    urgency: 'page',
    symptom:
      `${100 * concurrencyWarningShare} % of the account's ${monitoring.lambdaConcurrencyQuota} concurrent ` +
      'executions are in use; above the quota, requests fail.',
    firstQuery: 'traffic-by-company',
    runbook: 'concurrency',
  },
  'audit-write-failures': {
    metric: own('AuditWriteFailures', {}, { period: fiveMinutes }),
    threshold: 0,
    ...ofRequests,
    urgency: 'ticket',
    symptom:
      'Changes fail in their transaction, which also writes the audit row: no change is missing in the audit log.',
    firstQuery: 'unrecorded-changes',
    runbook: 'audit-write-failures',
  },
});

const latency = (stage: Stage, urgency: Urgency): AlarmDefinition => ({
  metric: new MathExpression({
    expression: `IF(forwarded >= ${fewestForLatency[urgency]}, p99, 0)`,
    usingMetrics: {
      forwarded: gatewayCounts(stage, fiveMinutes).forwarded,
      // Of forwarded requests only: fast refusals of strangers by API Gateway would hide that partners wait.
      p99: stage.metricIntegrationLatency({ statistic: Stats.percentile(99), period: fiveMinutes }),
    },
    period: fiveMinutes,
    label: 'p99, ms',
  }),
  threshold: latencyObjectiveMs,
  periods: latencyPeriods,
  ...ofRequests,
  urgency,
  symptom: `The p99 latency is above ${latencyObjectiveMs} ms for ${breachDuration(fiveMinutes, latencyPeriods)}, with at least ${fewestForLatency[urgency]} requests in each ${fiveMinutes.toHumanString()}.`,
  firstQuery: 'slowest-requests',
  runbook: 'latency',
});

const quarterHour = Duration.minutes(15);
const quietPeriods = 2;

/** For alarms whose symptom is silence. They notify on their own: a quiet night would otherwise mask every later alarm. */
const silence = {
  comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
  periods: quietPeriods,
  treatMissingData: TreatMissingData.BREACHING,
  lastsAtMostHours: untilSomebodyActs,
  firstQuery: 'traffic-by-company',
} as const;

/** Alarms for callers that do not reach the service. Each exists only if the stage has what it monitors. */
export const outsideAlarms = (sources: AlarmSources): AlarmDefinitions => ({
  ...fewRequests(sources),
  ...canary(sources),
  ...certificate(sources),
});

/** A new service has no requests at all, so the configuration of the stage defines how many are too few. */
const fewRequests = ({ stage, monitoring }: AlarmSources): AlarmDefinitions => {
  const fewest = monitoring.fewestRequestsPer15Minutes;
  if (fewest === undefined) return {};
  return {
    'few-requests': {
      ...silence,
      metric: gatewayCounts(stage, quarterHour).forwarded,
      threshold: fewest,
      thresholdInWords: '`fewestRequestsPer15Minutes`',
      urgency: 'page',
      symptom:
        `Fewer than ${fewest} requests reach a function in ${quarterHour.toHumanString()}, for ` +
        `${breachDuration(quarterHour, quietPeriods)}: partners may not get through.`,
      runbook: 'few-requests',
    },
  };
};

/** The calling machine may itself be down, so this is no page. */
const canary = ({ own, monitoring }: AlarmSources): AlarmDefinitions => {
  const { canaryCompanyId } = monitoring;
  if (canaryCompanyId === undefined) return {};
  return {
    canary: {
      ...silence,
      metric: own('CanaryServed', {}, { period: quarterHour }),
      threshold: 1,
      urgency: 'ticket',
      symptom:
        `No request of ${canaryCompanyId}, the company that calls every few minutes as a canary, was served for ` +
        `${breachDuration(quarterHour, quietPeriods)}.`,
      runbook: 'canary',
    },
  };
};

/** AWS renews a certificate long before these days, unless it can no longer validate it. */
const certificate = ({ certificateArn }: AlarmSources): AlarmDefinitions => {
  if (certificateArn === undefined) return {};
  const expiring = (urgency: Urgency): AlarmDefinition => ({
    metric: new Metric({
      namespace: 'AWS/CertificateManager',
      metricName: 'DaysToExpiry',
      dimensionsMap: { CertificateArn: certificateArn },
      statistic: Stats.MINIMUM,
      period: Duration.days(1),
    }),
    threshold: certificateDays[urgency],
    comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
    lastsAtMostHours: untilSomebodyActs,
    urgency,
    symptom: `The certificate of the API's domain expires in less than ${certificateDays[urgency]} days, and AWS has not renewed it: then no partner can connect.`,
    firstQuery: 'edge-refusals',
    runbook: 'certificate',
  });
  return { certificate: expiring('ticket'), 'certificate-soon': expiring('page') };
};
