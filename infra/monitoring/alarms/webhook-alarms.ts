import { Duration } from 'aws-cdk-lib';
import { Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { AlarmDefinitions, AlarmSources } from './alarm-definition.ts';

/** What keeps pokes from being sent. A receiver that is down is its partner's affair, and no alarm. */
export const webhookAlarms = ({ pokeSweeper }: AlarmSources): AlarmDefinitions => ({
  'poke-sweeper': {
    metric: pokeSweeper.metricErrors({ statistic: Stats.SUM, period: Duration.minutes(15) }),
    threshold: 0,
    urgency: 'ticket',
    symptom: 'Pokes that failed are not tried again, and lost ones stay lost: partners read their feed late.',
    firstQuery: 'poke-sweeps',
    runbook: 'webhooks',
  },
});
