import { UserFacingError } from '../errors.ts';
import type { Resolve } from '../template/intrinsics.ts';
import { readResources } from '../template/known-template.ts';
import type { Template } from '../template/stack.ts';
import { parseRule, type Rule } from './alarm-rule.ts';
import {
  type AlarmState,
  type Judgement,
  type MetricAlarm,
  type MetricAlarmProperties,
  metricAlarmOf,
  metricAlarmProperties,
} from './metric-alarm.ts';
import { type MetricStore, minuteMs, type TimeRange } from './metric-store.ts';

/** An alarm over the evaluated time. */
export type AlarmView = {
  readonly logicalId: string;
  readonly name: string;
  readonly kind: 'metric' | 'composite';
  readonly description: string;
  /** The state at the end. */
  readonly state: AlarmState;
  /** The last value of a metric alarm; undefined if there was none. */
  readonly lastValue?: number | undefined;
  readonly transitions: readonly { readonly atMs: number; readonly state: AlarmState; readonly reason: string }[];
};

/**
 * Returns a function that evaluates the template's alarms at each full minute of a range, by ARN. Before the range, alarms have
 * no data.
 */
export const createAlarms = (template: Template, resolve: Resolve, metricStore: MetricStore) => {
  const metricAlarms = readMetricAlarms(template, resolve, metricStore);
  const compositeAlarms = readCompositeAlarms(template, resolve, metricAlarms);

  return (range: TimeRange): ReadonlyMap<string, AlarmView> => {
    const minutes = fullMinutesOf(range);
    const judged = new Map(metricAlarms.map(({ arn, judge }) => [arn, minutes.map(judge)]));
    const judgeComposite = ({ watched, isRinging }: CompositeAlarm): Judgement[] =>
      minutes.map((_, minute) => {
        const stateOf = (arn: string) => judged.get(arn)?.[minute]?.state;
        const list = watched.map(({ arn, name }) => `${name} ${stateOf(arn)}`).join(', ');
        return isRinging((arn) => stateOf(arn) === 'ALARM')
          ? { state: 'ALARM', reason: `the rule holds: ${list}` }
          : { state: 'OK', reason: `the rule does not hold: ${list}` };
      });
    return new Map(
      [
        ...metricAlarms.map((alarm) => viewOf('metric', alarm, minutes, judged.get(alarm.arn) ?? [])),
        ...compositeAlarms.map((alarm) => viewOf('composite', alarm, minutes, judgeComposite(alarm))),
      ].map(({ arn, ...view }) => [arn, view]),
    );
  };
};

const fullMinutesOf = ({ fromMs, toMs }: TimeRange): number[] => {
  const first = Math.ceil(fromMs / minuteMs);
  const count = Math.max(0, Math.floor(toMs / minuteMs) - first + 1);
  return Array.from({ length: count }, (_, index) => (first + index) * minuteMs);
};

const viewOf = (
  kind: AlarmView['kind'],
  { logicalId, name, arn, description }: Alarm,
  minutes: readonly number[],
  judgements: readonly Judgement[],
): AlarmView & { readonly arn: string } => {
  const transitions = judgements.flatMap(({ state, reason }, index) => {
    const before = judgements[index - 1]?.state ?? 'INSUFFICIENT_DATA';
    return state === before ? [] : [{ atMs: minutes[index] ?? Number.NaN, state, reason }];
  });
  const { state = 'INSUFFICIENT_DATA', lastValue } = judgements.at(-1) ?? {};
  return { arn, logicalId, name, kind, description, state, lastValue, transitions };
};

/** The properties that metric alarms and composite alarms have in common. */
type Alarm = {
  readonly logicalId: string;
  readonly name: string;
  readonly arn: string;
  readonly description: string;
};

type AlarmProperties = { readonly logicalId: string; readonly AlarmDescription?: string };

/** Actions are known but not evaluated. */
const commonProperties = ['AlarmActions', 'AlarmDescription', 'AlarmName', 'InsufficientDataActions', 'OKActions'];

const alarmOf = ({ logicalId, AlarmDescription = '' }: AlarmProperties, resolve: Resolve): Alarm => ({
  logicalId,
  name: resolve<string>({ Ref: logicalId }),
  arn: resolve<string>({ 'Fn::GetAtt': [logicalId, 'Arn'] }),
  description: AlarmDescription,
});

const readMetricAlarms = (template: Template, resolve: Resolve, metricStore: MetricStore) =>
  readResources<AlarmProperties & MetricAlarmProperties>(template, resolve, 'AWS::CloudWatch::Alarm', [
    ...commonProperties,
    ...metricAlarmProperties,
  ]).map((properties): Alarm & { readonly judge: MetricAlarm } => {
    const alarm = alarmOf(properties, resolve);
    return { ...alarm, judge: metricAlarmOf(alarm.name, properties, metricStore) };
  });

type CompositeAlarm = Alarm & {
  /** The metric alarms in its rule. */
  readonly watched: readonly Alarm[];
  readonly isRinging: Rule;
};

const readCompositeAlarms = (template: Template, resolve: Resolve, metricAlarms: readonly Alarm[]) =>
  readResources<AlarmProperties & { readonly AlarmRule: string }>(
    template,
    resolve,
    'AWS::CloudWatch::CompositeAlarm',
    [...commonProperties, 'AlarmRule'],
  ).map((properties): CompositeAlarm => {
    const { arns, isRinging } = parseRule(properties.AlarmRule);
    const watched = arns.map((arn) => {
      const alarm = metricAlarms.find((each) => each.arn === arn);
      if (!alarm) throw new UserFacingError(`The template has no metric alarm ${arn}, which an alarm rule names.`);
      return alarm;
    });
    return { ...alarmOf(properties, resolve), watched, isRinging };
  });
