import { requireKnown } from '../errors/require-known.ts';
import { UserFacingError } from '../errors/user-facing-error.ts';
import type { Resolve } from '../template/intrinsics.ts';
import { readResources } from '../template/resources.ts';
import type { Template } from '../template/template.ts';

/** Holds what a rule of the template starts, and where to. */
export type RuleTarget = {
  readonly Arn: string;
  readonly DeadLetterConfig?: { readonly Arn?: string };
  readonly InputPath?: string;
  readonly SqsParameters?: { readonly MessageGroupId: string };
};

type RuleProperties = {
  readonly EventBusName?: string;
  readonly EventPattern?: object;
  readonly ScheduleExpression?: string;
  readonly State?: string;
  readonly Targets?: readonly RuleTarget[];
};

/** A rule acts by the clock, or on the events of a bus. */
export type Rule = { readonly logicalId: string; readonly arn: string; readonly targets: readonly RuleTarget[] };
export type RuleWithSchedule = Rule & { readonly schedule: string };
export type RuleWithPattern = Rule & { readonly pattern: object; readonly bus: string };

const knownProperties = [
  ...['Description', 'EventBusName', 'EventPattern', 'Name', 'ScheduleExpression', 'State', 'Tags', 'Targets'],
];

/** Reads the template's rules; what is not known of one is an error that names it. */
export const readRules = (template: Template, resolve: Resolve) => {
  const schedules: RuleWithSchedule[] = [];
  const patterns: RuleWithPattern[] = [];
  for (const rule of readResources<RuleProperties>(template, resolve, 'AWS::Events::Rule', knownProperties)) {
    const { logicalId, EventBusName: bus = 'default', EventPattern: pattern, ScheduleExpression: schedule } = rule;
    const { State = 'ENABLED', Targets: targets = [] } = rule;
    requireKnown('state of a rule', [State], ['ENABLED']);
    const common = { logicalId, targets, arn: resolve<string>({ 'Fn::GetAtt': [logicalId, 'Arn'] }) };
    if (schedule !== undefined && pattern === undefined) schedules.push({ ...common, schedule });
    else if (pattern !== undefined && schedule === undefined) patterns.push({ ...common, pattern, bus });
    else throw new UserFacingError(`The local run knows rules with a schedule or a pattern; ${logicalId} has not one.`);
  }
  return { schedules, patterns };
};

/** Refuses properties of a rule's targets that its kind of rule does not know here. */
export const requireKnownTargets = (targets: readonly RuleTarget[], known: readonly string[]): void => {
  for (const target of targets)
    requireKnown('property of a rule’s target', Object.keys(target), ['Arn', 'Id', ...known]);
};
