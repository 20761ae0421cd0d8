import { Duration } from 'aws-cdk-lib';
import { MathExpression, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { feedDays } from '../../../lambdas/api/limits.ts';
import { maxRecordAge } from '../../integrations/consumer-functions.ts';
import { feedAge } from '../metrics.ts';
import { type AlarmDefinitions, type AlarmSources, type Urgency, untilSomebodyActs } from './alarm-definition.ts';

const fiveMinutes = Duration.minutes(5);

/** The ages above which a message or a record has waited too long. */
export const maxAges = {
  portalEvent: Duration.minutes(5),
  gatewayReport: Duration.minutes(15),
  requestedChange: Duration.minutes(5),
  recorded: Duration.minutes(15),
  relayed: { ticket: Duration.minutes(1), page: Duration.minutes(15) },
} as const;

/** How long the alarm for a refused withdrawal stays in ALARM: long enough to call a second person. */
const afterWithdrawal = Duration.hours(2);

/** How long a record that cannot be handled is retried, in hours. */
const hoursOfStream = maxRecordAge.toHours();

/** Alarms for messages that are not received from the maker's other systems, or not sent to them. */
export const integrationAlarms = ({ own, integrations }: AlarmSources): AlarmDefinitions => {
  const { portalEvents, gatewayReports, requestedChanges } = integrations.queues;
  const isWaiting = (queue: Queue, age: Duration) => ({
    metric: queue.metricApproximateAgeOfOldestMessage({ statistic: Stats.MAXIMUM, period: fiveMinutes }),
    threshold: age.toSeconds(),
    lastsAtMostHours: untilSomebodyActs,
  });
  /**
   * Detects messages that are received repeatedly. The age of the oldest message does not: SQS ignores a message after three
   * receives.
   */
  const isFailing = (queue: Queue, mostInFlight: number) => ({
    metric: new MathExpression({
      expression: 'received - FILL(deleted, 0)',
      usingMetrics: {
        received: queue.metricNumberOfMessagesReceived({ statistic: Stats.SUM, period: fiveMinutes }),
        deleted: queue.metricNumberOfMessagesDeleted({ statistic: Stats.SUM, period: fiveMinutes }),
      },
      period: fiveMinutes,
      label: 'Received and not deleted',
    }),
    threshold: mostInFlight,
    // A message in flight at the end of one period is deleted in the next.
    periods: 3,
    lastsAtMostHours: untilSomebodyActs,
  });
  const isLate = (urgency: Urgency) => ({
    metric: integrations.relay.metric('IteratorAge', { statistic: Stats.MAXIMUM, period: fiveMinutes }),
    threshold: maxAges.relayed[urgency].toMilliseconds(),
    lastsAtMostHours: hoursOfStream,
    symptom: `Requested changes are sent to the gateway backend later than ${maxAges.relayed[urgency].toHumanString()} after the request.`,
    firstQuery: 'relayed-changes' as const,
    runbook: 'requested-changes',
  });
  return {
    'portal-withdrawals-refused': {
      // A queue's metrics do not distinguish dead letters, so this alarm ends after a time, and not when somebody acts.
      metric: own('WithdrawalsRefused', {}, { period: afterWithdrawal }),
      threshold: 0,
      lastsAtMostHours: afterWithdrawal.toHours(),
      urgency: 'page',
      symptom:
        'A withdrawal of consent, the end of a contract or the removal of an installation was refused: the company may still have access that the owner has withdrawn.',
      firstQuery: 'refused-messages',
      runbook: 'portal-events',
    },
    'portal-undelivered': {
      metric: messagesIn(integrations.undelivered),
      threshold: 0,
      lastsAtMostHours: untilSomebodyActs,
      urgency: 'page',
      symptom: 'Events of the portal could not be delivered to their queue: withdrawn consent may still count.',
      firstQuery: 'refused-messages',
      runbook: 'portal-events',
    },
    'portal-dead-letters': {
      metric: messagesIn(portalEvents.deadLetters),
      threshold: 0,
      lastsAtMostHours: untilSomebodyActs,
      urgency: 'ticket',
      symptom: 'Events of the portal could not be applied.',
      firstQuery: 'refused-messages',
      runbook: 'portal-events',
    },
    'portal-events-age': {
      ...isWaiting(portalEvents.queue, maxAges.portalEvent),
      urgency: 'page',
      symptom: `Events of the portal wait longer than ${maxAges.portalEvent.toHumanString()}: withdrawn consent still counts.`,
      firstQuery: 'refused-messages',
      runbook: 'portal-events',
    },
    'portal-events-failing': {
      ...isFailing(portalEvents.queue, 5),
      urgency: 'page',
      symptom: 'Events of the portal fail repeatedly: withdrawn consent may still count.',
      firstQuery: 'refused-messages',
      runbook: 'portal-events',
    },
    'gateway-reports-failing': {
      ...isFailing(gatewayReports.queue, 10),
      urgency: 'page',
      symptom: 'Reports of gateways fail repeatedly: partners read old values.',
      firstQuery: 'refused-messages',
      runbook: 'gateway-reports',
    },
    'gateway-reports-age': {
      ...isWaiting(gatewayReports.queue, maxAges.gatewayReport),
      urgency: 'page',
      symptom: `Reports of gateways wait longer than ${maxAges.gatewayReport.toHumanString()}: partners read old values.`,
      firstQuery: 'refused-messages',
      runbook: 'gateway-reports',
    },
    'gateway-reports-dead-letters': {
      metric: messagesIn(gatewayReports.deadLetters),
      threshold: 0,
      lastsAtMostHours: untilSomebodyActs,
      urgency: 'ticket',
      symptom: 'Reports of gateways could not be applied.',
      firstQuery: 'refused-messages',
      runbook: 'gateway-reports',
    },
    'relay-failures': {
      metric: messagesIn(integrations.relayFailures),
      threshold: 0,
      lastsAtMostHours: untilSomebodyActs,
      urgency: 'page',
      symptom:
        'The relay could not send requested changes (dead letters): their appliances do not receive them until the gateway reconnects.',
      firstQuery: 'relayed-changes',
      runbook: 'requested-changes',
    },
    'relay-slow': { ...isLate('ticket'), urgency: 'ticket' },
    'relay-late': { ...isLate('page'), urgency: 'page' },
    'feed-late': {
      metric: feedAge(integrations.feedRecorders, { label: 'Age of the feeds' }),
      threshold: maxAges.recorded.toSeconds(),
      lastsAtMostHours: hoursOfStream,
      urgency: 'page',
      symptom: `Events reach the feeds of partners later than ${maxAges.recorded.toHumanString()} after they happened.`,
      firstQuery: 'recorded-events',
      runbook: 'event-feed',
    },
    'feed-failures': {
      metric: messagesIn(integrations.feedFailures),
      threshold: 0,
      lastsAtMostHours: untilSomebodyActs,
      urgency: 'page',
      symptom: 'Events became dead letters: the feeds of partners lack them.',
      firstQuery: 'recorded-events',
      runbook: 'event-feed',
    },
    'feed-gaps': {
      metric: own('LostFeedPages', {}, { period: fiveMinutes }),
      threshold: 0,
      // Each read that reaches the hole counts, until the events around the hole expire.
      lastsAtMostHours: Duration.days(feedDays).toHours(),
      urgency: 'ticket',
      symptom:
        'Events in the feed of a partner are lost: a read that reaches the gap is refused because its cursor has expired.',
      firstQuery: 'feed-gaps',
      runbook: 'feed-gaps',
    },
    'requested-changes-age': {
      ...isWaiting(requestedChanges.queue, maxAges.requestedChange),
      urgency: 'page',
      symptom: `The gateway backend has not fetched requested changes for ${maxAges.requestedChange.toHumanString()}.`,
      firstQuery: 'relayed-changes',
      runbook: 'requested-changes',
    },
    'requested-changes-dead-letters': {
      metric: messagesIn(requestedChanges.deadLetters),
      threshold: 0,
      lastsAtMostHours: untilSomebodyActs,
      urgency: 'page',
      symptom: 'The gateway backend could not handle requested changes: their appliances do not receive them.',
      firstQuery: 'relayed-changes',
      runbook: 'requested-changes',
    },
  };
};

const messagesIn = (queue: Queue) =>
  queue.metricApproximateNumberOfMessagesVisible({ statistic: Stats.MAXIMUM, period: fiveMinutes });

/** The delay of webhook messages above which the fault is ours: a failing webhook gets a later due time with each attempt. */
const oldestMessage = Duration.minutes(5);

/** An alarm for webhook messages that are not sent. A receiver that is down is its partner's responsibility, and no alarm. */
export const webhookAlarms = ({ own }: AlarmSources): AlarmDefinitions => ({
  'webhook-messages-late': {
    metric: own('OldestWebhookMessageMs', {}, { period: Duration.minutes(5) }),
    threshold: oldestMessage.toMilliseconds(),
    periods: 2,
    // The sweeper sends both this metric and overdue messages: without data, no messages may be sent either.
    treatMissingData: TreatMissingData.BREACHING,
    lastsAtMostHours: untilSomebodyActs,
    urgency: 'page',
    symptom: `Webhook messages have been due for more than ${oldestMessage.toHumanString()} and are not sent, or the sweeper does not run: partners do not learn of new events.`,
    firstQuery: 'webhook-sweeps',
    runbook: 'webhooks',
  },
});
