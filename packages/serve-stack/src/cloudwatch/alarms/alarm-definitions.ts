import type { Resolve } from '../../template/intrinsics.ts';
import { readResources } from '../../template/resources.ts';
import type { Template } from '../../template/template.ts';
import { type CompositeRule, parseCompositeRule } from './composite-rule.ts';
import type { MetricAlarm } from './metric-alarm.ts';
import { type MetricAlarmProperties, metricAlarmOf, metricAlarmProperties } from './metric-alarm-properties.ts';

/** Holds what metric alarms and composite alarms have in common. */
type Alarm = { readonly logicalId: string; readonly name: string; readonly arn: string; readonly description: string };

export type AlarmDefinition = Alarm &
  (
    | { readonly kind: 'metric'; readonly metricAlarm: MetricAlarm }
    | { readonly kind: 'composite'; readonly rule: CompositeRule }
  );

const commonProperties = [
  'ActionsEnabled',
  'AlarmActions',
  'AlarmDescription',
  'AlarmName',
  'InsufficientDataActions',
  'OKActions',
  'Tags',
];

/** Reads all alarms of the template; what is not known of one is an error that names it. */
export const readAlarms = (template: Template, resolve: Resolve): AlarmDefinition[] => {
  const common = (logicalId: string, description = ''): Alarm => ({
    logicalId,
    name: resolve<string>({ Ref: logicalId }),
    arn: resolve<string>({ 'Fn::GetAtt': [logicalId, 'Arn'] }),
    description,
  });
  const metricAlarms = readResources<MetricAlarmProperties>(template, resolve, 'AWS::CloudWatch::Alarm', [
    ...commonProperties,
    ...metricAlarmProperties,
  ]).map((properties): AlarmDefinition => {
    const alarm = common(properties.logicalId, properties.AlarmDescription);
    return { ...alarm, kind: 'metric', metricAlarm: metricAlarmOf(alarm.name, properties) };
  });
  const compositeAlarms = readResources<{ AlarmRule: string; AlarmDescription?: string }>(
    template,
    resolve,
    'AWS::CloudWatch::CompositeAlarm',
    [...commonProperties, 'AlarmRule'],
  ).map(
    ({ logicalId, AlarmRule, AlarmDescription }): AlarmDefinition => ({
      ...common(logicalId, AlarmDescription),
      kind: 'composite',
      rule: parseCompositeRule(AlarmRule),
    }),
  );
  return [...metricAlarms, ...compositeAlarms];
};
