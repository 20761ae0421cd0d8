import { requireKnown, UserFacingError } from '../errors.ts';
import { traceIdAt } from '../functions/function-process.ts';
import type { FunctionPool } from '../functions/functions.ts';
import { readFunctionPermissions } from '../iam/access.ts';
import { type BusEnvelope, busArn, envelope } from '../services/event-service.ts';
import type { Resolve } from '../template/intrinsics.ts';
import { readResources } from '../template/known-template.ts';
import type { Stack, Template } from '../template/stack.ts';
import { compileDelivery, type QueueAccess, type RuleTarget } from './delivery.ts';
import { compileSchedule } from './schedule.ts';

type RuleProperties = {
  readonly EventBusName?: string;
  readonly EventPattern?: object;
  readonly ScheduleExpression?: string;
  readonly State?: string;
  readonly Targets?: readonly RuleTarget[];
};

/** A rule with a schedule, or with a pattern of events of a bus. */
type Rule = { readonly logicalId: string; readonly arn: string; readonly targets: readonly RuleTarget[] };
type RuleWithSchedule = Rule & { readonly schedule: string };
type RuleWithPattern = Rule & { readonly pattern: object; readonly bus: string };

const knownProperties = [
  ...['Description', 'EventBusName', 'EventPattern', 'Name', 'ScheduleExpression', 'State', 'Tags', 'Targets'],
];

/** Reads the template's rules. Throws an error that names any unknown property. */
const readRules = (template: Template, resolve: Resolve) => {
  const schedules: RuleWithSchedule[] = [];
  const patterns: RuleWithPattern[] = [];
  for (const rule of readResources<RuleProperties>(template, resolve, 'AWS::Events::Rule', knownProperties)) {
    const { logicalId, EventBusName: bus = 'default', EventPattern: pattern, ScheduleExpression: schedule } = rule;
    const { State = 'ENABLED', Targets: targets = [] } = rule;
    requireKnown('state of a rule', [State], ['DISABLED', 'ENABLED']);
    if (State === 'DISABLED') continue;
    const common = { logicalId, targets, arn: resolve<string>({ 'Fn::GetAtt': [logicalId, 'Arn'] }) };
    if (schedule !== undefined && pattern === undefined) schedules.push({ ...common, schedule });
    else if (pattern !== undefined && schedule === undefined) patterns.push({ ...common, pattern, bus });
    else
      throw new UserFacingError(
        `The local run knows rules with a schedule or a pattern; ${logicalId} has both or neither.`,
      );
  }
  return { schedules, patterns };
};

/** Throws if a target has properties that are not known here for its kind of rule. */
const requireKnownTargets = (targets: readonly RuleTarget[], known: readonly string[]): void => {
  for (const target of targets)
    requireKnown('property of a rule’s target', Object.keys(target), ['Arn', 'Id', ...known]);
};

/** A rule that receives events from a bus. */
type PatternRule = {
  readonly name: string;
  readonly busArn: string;
  readonly matches: (event: BusEnvelope) => boolean;
  /** Sends the event to each target. Throws if an event reaches neither its target nor the target's dead-letter queue. */
  readonly deliver: (event: BusEnvelope) => Promise<void>;
};

const knownTargetProperties = ['DeadLetterConfig', 'InputPath', 'RetryPolicy', 'SqsParameters'];

/** Compiles the rules that send events from buses to queues. Throws an error that names any unknown property. */
export const compilePatternRules = (stack: Stack, resolve: Resolve, queues: QueueAccess): PatternRule[] =>
  readRules(stack.template, resolve).patterns.map((rule) => {
    const { logicalId, pattern, bus, targets } = rule;
    requireKnownTargets(targets, knownTargetProperties);
    for (const { Arn } of targets)
      if (!Arn.includes(':sqs:'))
        throw new UserFacingError(`The local run knows rules from a bus to queues; ${logicalId} sends to ${Arn}.`);
    const deliveries = targets.map((target) => compileDelivery(rule, target, queues));
    return {
      name: logicalId,
      busArn: busArn(stack.environment, bus),
      matches: compilePattern(JSON.stringify(pattern)),
      deliver: async (event) => void (await Promise.all(deliveries.map((deliver) => deliver(event)))),
    };
  });

/** Returns whether an event matches a pattern. */
type EventTest = (event: unknown) => boolean;

/**
 * Compiles an event pattern of EventBridge: `{"eventName":["INSERT"]}`, at any depth. Throws if the pattern contains an
 * operator, since the local run knows none.
 */
export const compilePattern = (pattern: string): EventTest => compileNode(JSON.parse(pattern), pattern);

const compileNode = (node: unknown, pattern: string): EventTest => {
  if (Array.isArray(node)) return compileValues(node, pattern);
  if (typeof node !== 'object' || node === null) throw unknownPart(node, pattern);
  const tests = Object.entries(node).map(([name, part]) => {
    if (name.startsWith('$')) throw unknownPart(name, pattern);
    const test = compileNode(part, pattern);
    return (event: unknown) => test((event as Record<string, unknown> | undefined)?.[name]);
  });
  return (event) => tests.every((test) => test(event));
};

const compileValues = (values: readonly unknown[], pattern: string): EventTest => {
  const operator = values.find((value) => typeof value === 'object');
  if (operator !== undefined) throw unknownPart(operator, pattern);
  // A list in the event matches if one of its values does.
  return (found) => [found].flat().some((value) => values.includes(value));
};

const unknownPart = (part: unknown, pattern: string) =>
  new UserFacingError(`The local run does not know ${JSON.stringify(part)} in the event pattern ${pattern}.`);

/** A rule that invokes its functions on a schedule. */
export type ScheduledRule = {
  readonly nextDueMs: (nowMs: number) => number;
  /** Resolves when all functions have answered. Throws if one failed or does not permit the invocation. */
  readonly run: () => Promise<void>;
};

export const compileScheduledRules = (
  { template, environment }: Stack,
  resolve: Resolve,
  functions: ReadonlyMap<string, FunctionPool>,
): ScheduledRule[] => {
  const isPermitted = readFunctionPermissions(template, resolve);
  return readRules(template, resolve).schedules.map(({ logicalId, arn: ruleArn, schedule, targets }) => {
    requireKnownTargets(targets, []);
    const invoke = async ({ Arn }: RuleTarget) => {
      const target = functions.get(Arn);
      if (!target)
        throw new UserFacingError(`The rule ${logicalId} calls ${Arn}, which is no function of the template.`);
      if (!isPermitted('events.amazonaws.com', Arn, ruleArn))
        throw new UserFacingError(`The function ${Arn} does not permit the rule ${logicalId} to invoke it.`);
      const event = { source: 'aws.events', detailType: 'Scheduled Event', resources: [ruleArn], detail: {} };
      const outcome = await target.invoke(JSON.stringify(envelope(environment, event)), traceIdAt(Date.now()));
      if (outcome.kind === 'failure') throw new UserFacingError(`The function ${Arn} failed: ${outcome.reason}.`);
    };
    return {
      nextDueMs: compileSchedule(schedule),
      run: async () => void (await Promise.all(targets.map(invoke))),
    };
  });
};
