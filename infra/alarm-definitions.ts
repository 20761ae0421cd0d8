import { Duration } from 'aws-cdk-lib';
import type { Stage } from 'aws-cdk-lib/aws-apigateway';
import {
  ComparisonOperator,
  type CreateAlarmOptions,
  type IMetric,
  MathExpression,
  Stats,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { StageConfig } from '../config/schema.ts';
import type { TableName } from '../lambdas/api/tables.ts';
import { accountConcurrency, gatewayCounts, type OwnMetric, throttleMetrics } from './measures.ts';
import type { Urgency } from './notifications.ts';
import type { SavedQueryName } from './saved-queries.ts';
import {
  availabilityObjective,
  type BurnRate,
  budgetPeriod,
  burnRates,
  concurrencyWarningShare,
  lastKeyDays,
  latencyObjectiveMs,
} from './service-levels.ts';
import type { Tables } from './tables.ts';

/** An alarm as a row: what it watches, from when on it rings, and what to tell whoever hears it. */
export type AlarmDefinition = Pick<CreateAlarmOptions, 'threshold' | 'comparisonOperator' | 'treatMissingData'> & {
  readonly metric: IMetric;
  /** How many periods in a row; 1 by default. */
  readonly periods?: number;
  /** None for one half of a pair, which rings only together with the other. */
  readonly urgency?: Urgency;
  /**
   * May ring for days. It is told by itself then: gathered with others, it would keep them from being told, since a
   * composite alarm that rings already says nothing more.
   */
  readonly lasts?: true;
  /** What is seen from outside. */
  readonly symptom: string;
  /** What to look at first. */
  readonly firstQuery: SavedQueryName;
  /** The page in docs/runbooks. */
  readonly runbook: string;
  /** Also tells when there is no longer anything to watch. */
  readonly tellsSilence?: boolean;
};

type Sources = {
  readonly stage: Stage;
  readonly tables: Tables;
  readonly own: OwnMetric;
  /** Runs of the daily watch that failed, and notices of it that did not reach their bus. */
  readonly keyWatch: { readonly errors: IMetric; readonly undelivered: IMetric };
  readonly monitoring: StageConfig['monitoring'];
};

/** Enough failures to be no accident where there are few requests. */
const fewestFailures = 5;

/** Of fewer requests the slowest one, perhaps one that met a cold start, would stand for all. */
const fewestForPercentile = 20;

const { GREATER_THAN_THRESHOLD, GREATER_THAN_OR_EQUAL_TO_THRESHOLD, LESS_THAN_THRESHOLD } = ComparisonOperator;

/** By name. Designed refusals (401, 403, 429, 451) are in none of them. */
export const alarmDefinitions = (sources: Sources): Readonly<Record<string, AlarmDefinition>> => ({
  ...availability(sources),
  ...service(sources),
  ...throttles(sources),
  ...keys(sources),
  ...traffic(sources),
});

/** `availability-fast-1h` */
export const burnRateAlarmName = ({ speed }: BurnRate, window: Duration): string =>
  `availability-${speed}-${window.toIsoString().replace(/^PT?/, '').toLowerCase()}`;

const availability = ({ stage }: Sources): Record<string, AlarmDefinition> =>
  Object.fromEntries(
    burnRates.flatMap((burnRate) =>
      [burnRate.long, burnRate.short].map((window) => [
        burnRateAlarmName(burnRate, window),
        {
          metric: budgetBurn(stage, window),
          threshold: burnRate.rate,
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
    expression: `IF(failures >= ${fewestFailures}, failures / requests / ${(1 - availabilityObjective).toFixed(6)}, 0)`,
    usingMetrics: gatewayCounts(stage, window),
    period: window,
    label: 'Burn rate',
  });

const service = ({ stage, own, monitoring }: Sources): Record<string, AlarmDefinition> => {
  const fiveMinutes = Duration.minutes(5);
  return {
    latency: {
      metric: new MathExpression({
        expression: `IF(requests >= ${fewestForPercentile}, p99, 0)`,
        usingMetrics: {
          requests: gatewayCounts(stage, fiveMinutes).requests,
          p99: stage.metricLatency({ statistic: Stats.percentile(99), period: fiveMinutes }),
        },
        period: fiveMinutes,
        label: 'p99, ms',
      }),
      threshold: latencyObjectiveMs,
      periods: 3,
      urgency: 'page',
      symptom: `One in a hundred requests takes longer than ${latencyObjectiveMs} ms, for 15 minutes.`,
      firstQuery: 'slowest-requests',
      runbook: 'latency',
    },
    'store-unavailable': {
      metric: new MathExpression({
        expression: `IF(FILL(unavailable, 0) >= ${fewestFailures}, 100 * unavailable / requests, 0)`,
        usingMetrics: {
          unavailable: own('Requests', { reason: 'service-unavailable' }, { period: fiveMinutes }),
          requests: gatewayCounts(stage, fiveMinutes).requests,
        },
        period: fiveMinutes,
        label: 'Answered with 503, %',
      }),
      threshold: 5,
      comparisonOperator: GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      urgency: 'page',
      symptom:
        'At least 5 % of all requests are answered with 503, because a table that the limiter or a handler needs does not answer.',
      firstQuery: 'failures-by-cause',
      runbook: 'store-unavailable',
    },
    concurrency: {
      metric: accountConcurrency({ period: Duration.minutes(1) }),
      threshold: concurrencyWarningShare * monitoring.lambdaConcurrencyQuota,
      comparisonOperator: GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      periods: 3,
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
      urgency: 'ticket',
      symptom:
        'Changes fail in their transaction. A change and its audit row stand or fall together: nothing is missing in the audit log.',
      firstQuery: 'unrecorded-changes',
      runbook: 'audit-write-failures',
    },
  };
};

const throttles = ({ tables }: Sources): Record<string, AlarmDefinition> =>
  Object.fromEntries(
    Object.entries(tables).map(([name, table]) => [
      `throttles-${name}`,
      {
        metric: new MathExpression({
          expression: `SUM([${Object.keys(throttleMetrics(name as TableName, table)).join(', ')}])`,
          usingMetrics: throttleMetrics(name as TableName, table),
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

const keys = ({ own, keyWatch }: Sources): Record<string, AlarmDefinition> => {
  const lastKey = {
    // Longer than a day, so that a run of the watch is always within it, however late.
    metric: own('DaysToLastKeyExpiry', {}, { statistic: Stats.MINIMUM, period: Duration.hours(36) }),
    lasts: true,
    comparisonOperator: LESS_THAN_THRESHOLD,
    firstQuery: 'key-watch-runs',
    runbook: 'last-key-expiring',
  } as const;
  return {
    'last-key-expiring': {
      ...lastKey,
      threshold: lastKeyDays.ticket,
      treatMissingData: TreatMissingData.MISSING,
      tellsSilence: true,
      urgency: 'ticket',
      symptom: `In less than ${lastKeyDays.ticket} days a company is left without a valid key.`,
    },
    'last-key-expiring-soon': {
      ...lastKey,
      threshold: lastKeyDays.page,
      urgency: 'page',
      symptom: `In less than ${lastKeyDays.page} days a company is locked out, and nobody has acted on the notices.`,
    },
    'key-watch': {
      metric: new MathExpression({
        expression: 'SUM([errors, undelivered])',
        usingMetrics: keyWatch,
        period: Duration.hours(1),
        label: 'Failed',
      }),
      threshold: 0,
      urgency: 'ticket',
      symptom: 'The daily watch of expiring keys fails, or its notices do not reach the event bus.',
      firstQuery: 'key-watch-runs',
      runbook: 'key-watch',
    },
  };
};

/** Only where the stage says what few is: a service that has just been set up has no requests at all. */
const traffic = ({ stage, monitoring }: Sources): Record<string, AlarmDefinition> => {
  const fewest = monitoring.fewestRequestsPer15Minutes;
  if (fewest === undefined) return {};
  return {
    'few-requests': {
      metric: stage.metricCount({ statistic: Stats.SUM, period: Duration.minutes(15) }),
      threshold: fewest,
      comparisonOperator: LESS_THAN_THRESHOLD,
      periods: 2,
      treatMissingData: TreatMissingData.BREACHING,
      urgency: 'page',
      symptom: `Fewer than ${fewest} requests arrive in 15 minutes, for half an hour: partners may not get through.`,
      firstQuery: 'traffic-by-company',
      runbook: 'few-requests',
    },
  };
};

export const defaultComparison = GREATER_THAN_THRESHOLD;
