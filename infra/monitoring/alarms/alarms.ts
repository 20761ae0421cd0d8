import type { Stack } from 'aws-cdk-lib';
import {
  Alarm,
  type AlarmBase,
  AlarmRule,
  AlarmState,
  CompositeAlarm,
  type IAlarmRule,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { StageConfig } from '../../../config/schema.ts';
import { queryNameOf } from '../saved-queries.ts';
import { type AlarmDefinition, type AlarmDefinitions, defaultComparison } from './alarm-definition.ts';
import { burnRateAlarmName } from './availability-alarms.ts';
import { createTopics, type Urgency } from './notifications.ts';
import { burnRates } from './service-levels.ts';

export type Alarms = {
  readonly metric: Readonly<Record<string, Alarm>>;
  readonly composite: Readonly<Record<Urgency, CompositeAlarm>>;
};

/** The alarms, and the two that gather them for those who are to hear of it. */
export const createAlarms = (
  stack: Stack,
  definitions: AlarmDefinitions,
  monitoring: StageConfig['monitoring'],
): Alarms => {
  const topics = createTopics(stack, monitoring);
  const metric = Object.fromEntries(
    Object.entries(definitions).map(([name, definition]) => [
      name,
      createAlarm(stack, name, definition, monitoring.runbooksUrl),
    ]),
  );
  for (const [name, { tellsSilence, lasts, urgency }] of Object.entries(definitions)) {
    if (tellsSilence) metric[name]?.addInsufficientDataAction(new SnsAction(topics.ticket));
    if (lasts && urgency) tell(metric[name] as Alarm, topics[urgency]);
  }

  const gather = (urgency: Urgency): CompositeAlarm => {
    const names = Object.keys(definitions).filter(
      (name) => definitions[name]?.urgency === urgency && !definitions[name]?.lasts,
    );
    const alarm = new CompositeAlarm(stack, `Alarm-${urgency}`, {
      compositeAlarmName: `${stack.stackName}-${urgency}`,
      alarmDescription: `${meanings[urgency]} Which of its alarms rings, the dashboard ${stack.stackName}-on-call shows.`,
      alarmRule: AlarmRule.anyOf(...burnRules(urgency, metric), ...names.map((name) => ringing(metric, name))),
    });
    tell(alarm, topics[urgency]);
    return alarm;
  };
  return { metric, composite: { page: gather('page'), ticket: gather('ticket') } };
};

/** When it begins to ring, and when it is over. */
const tell = (alarm: AlarmBase, topic: ITopic): void => {
  alarm.addAlarmAction(new SnsAction(topic));
  alarm.addOkAction(new SnsAction(topic));
};

const meanings: Readonly<Record<Urgency, string>> = {
  page: 'Partners are hurt, or will be within hours: act now.',
  ticket: 'Something needs a hand within days: act in working hours.',
};

const createAlarm = (stack: Stack, name: string, definition: AlarmDefinition, runbooksUrl: string): Alarm => {
  const { metric, threshold, periods = 1, comparisonOperator = defaultComparison, treatMissingData } = definition;
  return new Alarm(stack, `Alarm-${name}`, {
    alarmName: `${stack.stackName}-${name}`,
    alarmDescription: descriptionOf(stack, definition, runbooksUrl),
    metric,
    threshold,
    comparisonOperator,
    evaluationPeriods: periods,
    treatMissingData: treatMissingData ?? TreatMissingData.NOT_BREACHING,
  });
};

/** Markdown, as the console shows it. */
const descriptionOf = (stack: Stack, { symptom, firstQuery, runbook }: AlarmDefinition, runbooksUrl: string): string =>
  [
    `**Symptom:** ${symptom}`,
    `**First query:** ${queryNameOf(stack.stackName, firstQuery)}`,
    `**Runbook:** ${runbooksUrl}/${runbook}.md`,
  ].join('\n\n');

/** A burn rate counts when it holds over both of its windows. */
const burnRules = (urgency: Urgency, alarms: Alarms['metric']): IAlarmRule[] =>
  burnRates
    .filter((burnRate) => burnRate.urgency === urgency)
    .map((burnRate) =>
      AlarmRule.allOf(
        ...[burnRate.long, burnRate.short].map((window) => ringing(alarms, burnRateAlarmName(burnRate, window))),
      ),
    );

const ringing = (alarms: Alarms['metric'], name: string): IAlarmRule =>
  AlarmRule.fromAlarm(alarms[name] as Alarm, AlarmState.ALARM);
