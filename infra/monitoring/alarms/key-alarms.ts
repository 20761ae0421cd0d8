import { Duration } from 'aws-cdk-lib';
import { ComparisonOperator, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { type AlarmDefinitions, type AlarmSources, untilSomebodyActs } from './alarm-definition.ts';
import { lastKeyDays } from './service-levels.ts';

/** Companies that are about to be locked out, and the watch that would know. */
export const keyAlarms = ({ own, keyWatch }: AlarmSources): AlarmDefinitions => {
  const lastKey = {
    // Longer than a day, so that a run of the watch is always within it, however late.
    metric: own('DaysToLastKeyExpiry', {}, { statistic: Stats.MINIMUM, period: Duration.hours(36) }),
    lastsAtMostHours: untilSomebodyActs,
    comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
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
      metric: keyWatch.metricErrors({ period: Duration.hours(1) }),
      threshold: 0,
      // It runs once a day.
      lastsAtMostHours: 1,
      urgency: 'ticket',
      symptom: 'The daily watch of expiring keys fails: nobody is told which of them expire.',
      firstQuery: 'key-watch-runs',
      runbook: 'key-watch',
    },
  };
};
