import { Duration } from 'aws-cdk-lib';
import { ComparisonOperator, MathExpression, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { type AlarmDefinitions, type AlarmSources, holding, untilSomebodyActs } from './alarm-definition.ts';
import { lastKeyDays } from './service-levels.ts';

const period = Duration.minutes(5);
const periods = 2;

/** One for all tables, of what the functions count: the dashboard has DynamoDB's own metrics of each, which no alarm pays for. */
export const tableAlarms = ({ own }: AlarmSources): AlarmDefinitions => ({
  'table-throttles': {
    metric: own('StoreThrottles', {}, { period }),
    threshold: 0,
    periods,
    // A table that is paid by the request splits where it is hot, within the hour.
    lastsAtMostHours: 1,
    urgency: 'ticket',
    symptom: `DynamoDB throttles a table, for ${holding(period, periods)}.`,
    firstQuery: 'slowest-requests',
    runbook: 'table-throttles',
  },
});

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

/** The runs of an hourly watch within it all have to agree: one that failed or came late changes nothing. */
const ofKeyStates = Duration.hours(3);

/** Keys of KMS that somebody has disabled, or that are deleted within days: what they derived can be derived by no other. */
export const macKeyAlarms = ({ own }: AlarmSources): AlarmDefinitions => ({
  'mac-keys': {
    // The lowest of several runs: a key that is enabled again ends the alarm with the next run.
    metric: own('MacKeysUnusable', {}, { statistic: Stats.MINIMUM, period: ofKeyStates }),
    threshold: 0,
    // A watch that does not run measures nothing.
    treatMissingData: TreatMissingData.BREACHING,
    lastsAtMostHours: untilSomebodyActs,
    urgency: 'page',
    symptom:
      'A key of KMS was disabled or is to be deleted within 7 to 30 days, or nobody watches that: webhook messages cannot be signed, or owners not be erased, and what is deleted cannot be made again.',
    firstQuery: 'mac-key-watch-runs',
    runbook: 'webhooks',
  },
});

/** What owners have taken back, and feeds still hold. */
export const purgeAlarms = ({ feedPurge }: AlarmSources): AlarmDefinitions => ({
  'feed-purge': {
    metric: feedPurge.metricErrors({ period: Duration.hours(1) }),
    threshold: 0,
    // It runs every six hours.
    lastsAtMostHours: 1,
    urgency: 'ticket',
    symptom: 'The job fails that removes from the rows of feeds what owners have taken back; readers are not shown it.',
    firstQuery: 'feed-purge-runs',
    runbook: 'feed-purge',
  },
});

/** A run may take its five minutes, come a moment late, and fail once or twice for what is over by the next. */
const runsMissed = 4;
const shortestMinutes = 5;

/** What partners are shown of their requests, as long as nobody counts them. */
export const usageAlarms = ({ usageRecorder, usageEveryMinutes }: AlarmSources): AlarmDefinitions => {
  const ofRun = Duration.minutes(Math.max(usageEveryMinutes, shortestMinutes));
  return {
    usage: {
      metric: new MathExpression({
        expression: 'runs - failures',
        usingMetrics: {
          runs: usageRecorder.metricInvocations({ period: ofRun }),
          failures: usageRecorder.metricErrors({ period: ofRun }),
        },
        period: ofRun,
        label: 'Runs that ended well',
      }),
      periods: runsMissed,
      threshold: 1,
      comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
      // A job that nothing calls measures nothing.
      treatMissingData: TreatMissingData.BREACHING,
      lastsAtMostHours: untilSomebodyActs,
      urgency: 'ticket',
      symptom: `The requests of companies were not counted for ${holding(ofRun, runsMissed)}: GET /usage shows what was before.`,
      firstQuery: 'usage-runs',
      runbook: 'usage',
    },
  };
};
