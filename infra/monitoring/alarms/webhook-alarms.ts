import { Duration } from 'aws-cdk-lib';
import { TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { type AlarmDefinitions, type AlarmSources, untilSomebodyActs } from './alarm-definition.ts';
import { messagesIn } from './seam-alarms.ts';

/** From when on a poke is so late that it is ours: a webhook that fails is due later each time. */
const oldestPoke = Duration.minutes(5);

/** What keeps pokes from being sent. A receiver that is down is its partner's affair, and no alarm. */
export const webhookAlarms = ({ own, seams }: AlarmSources): AlarmDefinitions => ({
  'pokes-late': {
    metric: own('OldestPokeMs', {}, { period: Duration.minutes(5) }),
    threshold: oldestPoke.toMilliseconds(),
    periods: 2,
    // Who measures is who keeps pokes going: if nothing is measured, none may be sent.
    treatMissingData: TreatMissingData.BREACHING,
    lastsAtMostHours: untilSomebodyActs,
    urgency: 'page',
    symptom: `Pokes are due for more than ${oldestPoke.toHumanString()} and not sent, or nobody looks: partners are told of nothing.`,
    firstQuery: 'poke-sweeps',
    runbook: 'webhooks',
  },
  'poke-dead-letters': {
    metric: messagesIn(seams.queues.pokes.deadLetters),
    threshold: 0,
    lastsAtMostHours: untilSomebodyActs,
    urgency: 'ticket',
    symptom: 'Attempts to send pokes failed by our own fault, again and again.',
    firstQuery: 'pokes',
    runbook: 'webhooks',
  },
});
