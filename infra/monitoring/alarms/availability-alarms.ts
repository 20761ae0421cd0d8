import type { Duration } from 'aws-cdk-lib';
import type { Stage } from 'aws-cdk-lib/aws-apigateway';
import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import { gatewayCounts, validRequests } from '../metrics.ts';
import { type AlarmDefinitions, type AlarmSources, fewestFailures } from './alarm-definition.ts';
import { type BurnRate, budgetPeriod, burnRates, errorBudget } from './service-levels.ts';

/** `availability-fast-1h` */
export const burnRateAlarmName = ({ speed }: BurnRate, window: Duration): string =>
  `availability-${speed}-${window.toIsoString().replace(/^PT?/, '').toLowerCase()}`;

/** Two for each rate at which the error budget burns, which ring together only. */
export const availabilityAlarms = ({ stage }: AlarmSources): AlarmDefinitions =>
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
    expression: `IF(failures >= ${fewestFailures}, failures / ${validRequests} / ${errorBudget}, 0)`,
    usingMetrics: gatewayCounts(stage, window),
    period: window,
    label: 'Burn rate',
  });
