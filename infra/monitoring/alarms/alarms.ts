import { Stack } from 'aws-cdk-lib';
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
import { Construct } from 'constructs';
import type { StageConfig } from '../../../config/schema.ts';
import { queryNameOf } from '../saved-queries.ts';
import {
  type AlarmDefinition,
  type AlarmDefinitions,
  defaultComparison,
  longestGatheredHours,
} from './alarm-definition.ts';
import { burnRateAlarmName } from './availability-alarms.ts';
import type { Topics, Urgency } from './notifications.ts';
import { burnRates } from './service-levels.ts';

export type AlarmsProps = { readonly topics: Topics; readonly monitoring: StageConfig['monitoring'] };

/** The alarms, and the two that gather them for those who are to hear of it. */
export class Alarms extends Construct {
  readonly metric: Readonly<Record<string, Alarm>>;
  readonly composite: Readonly<Record<Urgency, CompositeAlarm>>;
  readonly #definitions: AlarmDefinitions;

  constructor(scope: Construct, id: string, definitions: AlarmDefinitions, { topics, monitoring }: AlarmsProps) {
    super(scope, id);
    this.#definitions = definitions;
    const rows = Object.entries(definitions);
    this.metric = Object.fromEntries(
      rows.map(([name, definition]) => [name, this.#createAlarm(name, definition, monitoring.runbooksUrl)]),
    );
    for (const [name, definition] of rows) {
      if (definition.tellsSilence) this.#named(name).addInsufficientDataAction(new SnsAction(topics.ticket));
      if (definition.urgency && !isGathered(definition)) tell(this.#named(name), topics[definition.urgency]);
    }
    this.composite = { page: this.#gather('page', topics), ticket: this.#gather('ticket', topics) };
  }

  #createAlarm(name: string, definition: AlarmDefinition, runbooksUrl: string): Alarm {
    const { metric, threshold, periods = 1, comparisonOperator = defaultComparison, treatMissingData } = definition;
    const { stackName } = Stack.of(this);
    return new Alarm(this, name, {
      alarmName: `${stackName}-${name}`,
      alarmDescription: descriptionOf(stackName, definition, runbooksUrl),
      metric,
      threshold,
      comparisonOperator,
      evaluationPeriods: periods,
      treatMissingData: treatMissingData ?? TreatMissingData.NOT_BREACHING,
    });
  }

  #gather(urgency: Urgency, topics: Topics): CompositeAlarm {
    const { stackName } = Stack.of(this);
    const names = Object.entries(this.#definitions)
      .filter(([, definition]) => definition.urgency === urgency && isGathered(definition))
      .map(([name]) => name);
    const alarm = new CompositeAlarm(this, urgency, {
      compositeAlarmName: `${stackName}-${urgency}`,
      alarmDescription: `${meanings[urgency]} Which of its alarms rings, the dashboard ${stackName}-on-call shows.`,
      alarmRule: AlarmRule.anyOf(...this.#burnRules(urgency), ...names.map((name) => this.#ringing(name))),
    });
    tell(alarm, topics[urgency]);
    return alarm;
  }

  /** A burn rate counts when it holds over both of its windows. */
  #burnRules(urgency: Urgency): IAlarmRule[] {
    return burnRates
      .filter((burnRate) => burnRate.urgency === urgency)
      .map((burnRate) =>
        AlarmRule.allOf(
          ...[burnRate.long, burnRate.short].map((window) => this.#ringing(burnRateAlarmName(burnRate, window))),
        ),
      );
  }

  #ringing(name: string): IAlarmRule {
    return AlarmRule.fromAlarm(this.#named(name), AlarmState.ALARM);
  }

  #named(name: string): Alarm {
    return this.metric[name] as Alarm;
  }
}

const isGathered = ({ urgency, lastsAtMostHours }: AlarmDefinition): boolean =>
  urgency !== undefined && lastsAtMostHours <= longestGatheredHours[urgency];

/** Tells when an alarm begins to ring, and when it is over. */
const tell = (alarm: AlarmBase, topic: ITopic): void => {
  alarm.addAlarmAction(new SnsAction(topic));
  alarm.addOkAction(new SnsAction(topic));
};

const meanings: Readonly<Record<Urgency, string>> = {
  page: 'Partners are hurt, or will be within hours: act now.',
  ticket: 'Something needs a hand within days: act in working hours.',
};

/** Markdown, as the console shows it. */
const descriptionOf = (stackName: string, { symptom, firstQuery, runbook }: AlarmDefinition, runbooksUrl: string) =>
  [
    `**Symptom:** ${symptom}`,
    `**First query:** ${queryNameOf(stackName, firstQuery)}`,
    `**Runbook:** ${runbooksUrl}/${runbook}.md`,
  ].join('\n\n');
