import { Duration } from 'aws-cdk-lib';
import { ComparisonOperator, Metric, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { gatewayCounts } from '../metrics.ts';
import { type AlarmDefinitions, type AlarmSources, holding, untilSomebodyActs } from './alarm-definition.ts';
import { certificateDays } from './service-levels.ts';

const quarterHour = Duration.minutes(15);
const quietPeriods = 2;

/** Where silence is the symptom. It may last: a quiet night would otherwise keep every later alarm from being told. */
const silence = {
  comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
  periods: quietPeriods,
  treatMissingData: TreatMissingData.BREACHING,
  lastsAtMostHours: untilSomebodyActs,
  firstQuery: 'traffic-by-company',
} as const;

/** Whether callers get through to us. Each is there only if the stage has what it watches. */
export const outsideAlarms = (sources: AlarmSources): AlarmDefinitions => ({
  ...fewRequests(sources),
  ...canary(sources),
  ...certificate(sources),
});

/** A service that has just been set up has no requests at all, so the stage says what few is. */
const fewRequests = ({ stage, monitoring }: AlarmSources): AlarmDefinitions => {
  const fewest = monitoring.fewestRequestsPer15Minutes;
  if (fewest === undefined) return {};
  return {
    'few-requests': {
      ...silence,
      metric: gatewayCounts(stage, quarterHour).forwarded,
      threshold: fewest,
      urgency: 'page',
      symptom:
        `Fewer than ${fewest} requests reach a function in ${quarterHour.toHumanString()}, for ` +
        `${holding(quarterHour, quietPeriods)}: partners may not get through.`,
      runbook: 'few-requests',
    },
  };
};

/** The machine that calls may itself be down, so that nobody is woken. */
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
        `No request of ${canaryCompanyId}, which calls every few minutes to watch, was served for ` +
        `${holding(quarterHour, quietPeriods)}.`,
      runbook: 'canary',
    },
  };
};

/** AWS renews a certificate by itself 60 days before its end, unless it cannot validate it any more. */
const certificate = ({ certificateArn }: AlarmSources): AlarmDefinitions => {
  if (certificateArn === undefined) return {};
  return {
    certificate: {
      metric: new Metric({
        namespace: 'AWS/CertificateManager',
        metricName: 'DaysToExpiry',
        dimensionsMap: { CertificateArn: certificateArn },
        statistic: Stats.MINIMUM,
        period: Duration.days(1),
      }),
      threshold: certificateDays,
      comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
      lastsAtMostHours: untilSomebodyActs,
      urgency: 'ticket',
      symptom: `The certificate of the API's domain expires in less than ${certificateDays} days, and AWS has not renewed it.`,
      firstQuery: 'edge-refusals',
      runbook: 'certificate',
    },
  };
};
