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
      symptom: `The last valid key of a company expires in less than ${lastKeyDays.ticket} days.`,
    },
    'last-key-expiring-soon': {
      ...lastKey,
      threshold: lastKeyDays.page,
      urgency: 'page',
      symptom: `The last valid key of a company expires in less than ${lastKeyDays.page} days, which locks it out; it has not reacted to the notices.`,
    },
    'key-watch': {
      metric: keyWatch.metricErrors({ period: Duration.hours(1) }),
      threshold: 0,
      // The job runs once a day.
      lastsAtMostHours: 1,
      urgency: 'ticket',
      symptom: 'The daily check for expiring keys fails: companies receive no notices of expiring keys.',
      firstQuery: 'key-watch-runs',
      runbook: 'key-watch',
    },
  };
};

/** Contains several runs of the hourly job, which must all agree: a single run that fails or is late changes nothing. */
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
      'A KMS key is disabled or will be deleted within 7 to 30 days, or the job that checks this does not run: webhook messages cannot be signed, or owners cannot be erased. A deleted key cannot be recreated.',
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
    symptom:
      'The job that removes events from feeds after owners withdraw access fails. Reads already hide these events.',
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
        label: 'Successful runs',
      }),
      periods: runsMissed,
      threshold: 1,
      comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
      // A job that is not invoked sends no data.
      treatMissingData: TreatMissingData.BREACHING,
      lastsAtMostHours: untilSomebodyActs,
      urgency: 'ticket',
      symptom: `The requests of companies were not counted for ${breachDuration(ofRun, runsMissed)}: GET /usage returns outdated numbers.`,
      firstQuery: 'usage-runs',
      runbook: 'usage',
    },
  };
};
