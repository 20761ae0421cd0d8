import { type Check, type Fault, resourcesOf, type Template } from './check.ts';
import { textOf } from './text.ts';

const maximumLength = 10_240;

/** Finds composite alarms whose rule CloudWatch cannot read, or that asks for an alarm that is not in the template. */
export const checkAlarmRules: Check = (template) =>
  resourcesOf(template, 'AWS::CloudWatch::CompositeAlarm').flatMap(({ logicalId, properties }): Fault[] => {
    const rule = textOf(properties.AlarmRule) ?? '';
    const sentences = [
      ...(isRule(rule)
        ? []
        : ['has an AlarmRule that is no rule; write ALARM("…") with AND, OR, NOT and parentheses.']),
      ...(rule.length > maximumLength ? [`has an AlarmRule longer than ${maximumLength} characters; split it.`] : []),
      ...alarmsIn(rule)
        .filter((alarm) => !isAlarm(template, alarm))
        .map((alarm) => `asks for the alarm ${alarm}, which is not in the template; correct the reference.`),
    ];
    return sentences.map((sentence) => ({ logicalId, sentence }));
  });

const state = /(ALARM|OK|INSUFFICIENT_DATA)\s*\(\s*("[^"]+"|[^\s"()]+)\s*\)/g;

/** Puts TRUE for each alarm, then for each part that it understands: of a rule, TRUE alone is left in the end. */
const isRule = (rule: string): boolean => {
  let left = rule.replace(state, 'TRUE').replaceAll('FALSE', 'TRUE').trim();
  for (let before = ''; before !== left; ) {
    before = left;
    left = left.replace(/NOT\s+TRUE|\(\s*TRUE\s*\)|TRUE\s+(AND|OR)\s+TRUE/g, 'TRUE');
  }
  return left === 'TRUE';
};

const alarmsIn = (rule: string): string[] =>
  [...rule.matchAll(state)].map(([, , alarm = '']) => alarm.replaceAll('"', ''));

const isAlarm = (template: Template, alarm: string): boolean =>
  resourcesOf(template, 'AWS::CloudWatch::Alarm', 'AWS::CloudWatch::CompositeAlarm').some(
    ({ logicalId, properties }) =>
      [`{${logicalId}}`, `{${logicalId}.Arn}`].includes(alarm) || textOf(properties.AlarmName) === alarm,
  );
