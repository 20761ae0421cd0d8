import type { Duration } from 'aws-cdk-lib';
import type { Stage } from 'aws-cdk-lib/aws-apigateway';
import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import { gatewayCounts, validRequests } from '../metrics.ts';
import { type AlarmDefinitions, type AlarmSources, fewestFailures } from './alarm-definition.ts';
import { type BurnRate, budgetPeriod, burnRates, errorBudget } from './service-levels.ts';

/** `availability-fast-1h` */
export const burnRateAlarmName = ({ speed }: BurnRate, window: Duration): string =>
  `availability-${speed}-${window.toIsoString().replace(/^PT?/, '').toLowerCase()}`;

/**
 * Puts a new version back that fails. Of the two windows of the fast burn it is the short one: a version that answers a
 * tenth of the requests and fails them all is seen over five minutes at once, and over an hour only when its ten minutes
 * are nearly over.
 */
export const canaryAlarmName = burnRateAlarmName(burnRates[0], burnRates[0].short);

/** Two for each rate at which the error budget burns, which ring together only. */
export const availabilityAlarms = ({ stage }: AlarmSources): AlarmDefinitions =>
  Object.fromEntries(
    burnRates.flatMap((burnRate) =>
      [burnRate.long, burnRate.short].map((window) => [
        burnRateAlarmName(burnRate, window),
        {
          metric: budgetBurn(stage, window),
          threshold: burnRate.rate,
          // The two ring together only.
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
    expression: `IF(failures >= ${fewestFailures}, failures / ${validRequests} / ${errorBudget}, 0)`,
    usingMetrics: gatewayCounts(stage, window),
    period: window,
    label: 'Burn rate',
  });
