import { Duration } from 'aws-cdk-lib';
import { ComparisonOperator, MathExpression, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { type AlarmDefinitions, type AlarmSources, breachDuration, untilSomebodyActs } from './alarm-definition.ts';
import { lastKeyDays } from './service-levels.ts';

const period = Duration.minutes(5);
const periods = 2;

/**
 * One alarm for all tables, over what the functions count. The dashboard shows DynamoDB's own metrics of each table, without
 * the price of an alarm for each.
 */
export const tableAlarms = ({ own }: AlarmSources): AlarmDefinitions => ({
  'table-throttles': {
    metric: own('StoreThrottles', {}, { period }),
    threshold: 0,
    periods,
    // An on-demand table splits a hot partition within the hour.
    lastsAtMostHours: 1,
    urgency: 'ticket',
    symptom: `DynamoDB throttles a table, for ${breachDuration(period, periods)}.`,
    firstQuery: 'slowest-requests',
    runbook: 'table-throttles',
  },
});

/** Alarms for companies that are about to be locked out, and for failures of the job that detects them. */
export const keyAlarms = ({ own, keyWatch }: AlarmSources): AlarmDefinitions => {
  const lastKey = {
    // Longer than a day, so that it always contains a run of the job, even a late one.
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
      notifiesOnMissingData: true,
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
      // The job runs once a day.
      lastsAtMostHours: 1,
      urgency: 'ticket',
      symptom: 'The daily watch of expiring keys fails: nobody is told which of them expire.',
      firstQuery: 'key-watch-runs',
      runbook: 'key-watch',
    },
  };
};

/** A window with several runs of the hourly job, which all have to agree: one that fails or is late changes nothing. */
const ofKeyStates = Duration.hours(3);

/** An alarm for KMS keys that are disabled or will be deleted within days: no other key can derive the same values. */
export const macKeyAlarms = ({ own }: AlarmSources): AlarmDefinitions => ({
  'mac-keys': {
    // The lowest value of several runs: the first run after a key is enabled again ends the alarm.
    metric: own('MacKeysUnusable', {}, { statistic: Stats.MINIMUM, period: ofKeyStates }),
    threshold: 0,
    // A job that does not run sends no data.
    treatMissingData: TreatMissingData.BREACHING,
    lastsAtMostHours: untilSomebodyActs,
    urgency: 'page',
    symptom:
      'A key of KMS was disabled or is to be deleted within 7 to 30 days, or nobody watches that: webhook messages cannot be signed, or owners not be erased, and what is deleted cannot be made again.',
    firstQuery: 'mac-key-watch-runs',
    runbook: 'webhooks',
  },
});

/** An alarm for events that feeds still contain although owners have withdrawn access to them. */
export const purgeAlarms = ({ feedPurge }: AlarmSources): AlarmDefinitions => ({
  'feed-purge': {
    metric: feedPurge.metricErrors({ period: Duration.hours(1) }),
    threshold: 0,
    // The job runs every six hours.
    lastsAtMostHours: 1,
    urgency: 'ticket',
    symptom: 'The job fails that removes from the rows of feeds what owners have taken back; readers are not shown it.',
    firstQuery: 'feed-purge-runs',
    runbook: 'feed-purge',
  },
});

/** Tolerates a run that takes its full five minutes, a late start, and one or two failures that the next run makes up for. */
const runsMissed = 4;
const shortestMinutes = 5;

/** An alarm for usage that is not counted, so that partners see outdated numbers. */
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
      // A job that is not invoked sends no data.
      treatMissingData: TreatMissingData.BREACHING,
      lastsAtMostHours: untilSomebodyActs,
      urgency: 'ticket',
      symptom: `The requests of companies were not counted for ${breachDuration(ofRun, runsMissed)}: GET /usage shows what was before.`,
      firstQuery: 'usage-runs',
      runbook: 'usage',
    },
  };
};
