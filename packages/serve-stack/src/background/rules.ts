import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { requireKnown, UserFacingError } from '../errors.ts';
import { traceIdAt } from '../functions/function-process.ts';
import type { FunctionPool } from '../functions/functions.ts';
import { type ResourcePolicy, readFunctionPermissions } from '../iam/access.ts';
import { type BusEnvelope, busArn, envelope } from '../services/event-service.ts';
import { type QueueDefinition, queueAt } from '../services/queue-definitions.ts';
import type { Resolve } from '../template/intrinsics.ts';
import { readResources } from '../template/known-template.ts';
import type { Stack, Template } from '../template/template.ts';

/** A target of a rule in the template. */
type RuleTarget = {
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

/** A rule with a schedule, or with a pattern of events of a bus. */
export type Rule = { readonly logicalId: string; readonly arn: string; readonly targets: readonly RuleTarget[] };
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

/** The queues of the template with their policies, which apply to a service of AWS. */
export type QueueAccess = {
  readonly definitions: readonly QueueDefinition[];
  readonly policies: ReadonlyMap<string, ResourcePolicy>;
  readonly client: () => Promise<SQSClient>;
};

type Message = Omit<SendMessageCommand['input'], 'QueueUrl'>;

/**
 * Returns a function that sends an event to a target. If that fails, the event goes to the target's dead-letter queue; without
 * one, or if it refuses too, the function throws and the event is lost.
 */
export const compileDelivery = (
  { logicalId, arn: ruleArn }: RuleWithPattern,
  { Arn, InputPath = '$', DeadLetterConfig, SqsParameters }: RuleTarget,
  { definitions, policies, client }: QueueAccess,
): ((event: BusEnvelope) => Promise<void>) => {
  const queue = queueAt(definitions, Arn, `the rule ${logicalId}`);
  const deadLetters = DeadLetterConfig?.Arn && queueAt(definitions, DeadLetterConfig.Arn, `the rule ${logicalId}`);
  const inputOf = compileInputPath(InputPath);

  const send = async ({ arn, url }: QueueDefinition, message: Message) => {
    const decision = policies.get(arn)?.({
      action: 'sqs:SendMessage',
      resource: arn,
      sourceArn: ruleArn,
      secureTransport: true,
      caller: { service: 'events.amazonaws.com' },
    });
    if (decision !== 'allow')
      throw new UserFacingError(`The policy of the queue ${arn} does not let the rule ${logicalId} send to it.`);
    await (await client()).send(new SendMessageCommand({ QueueUrl: url, ...message }));
  };

  return async (event) => {
    try {
      await send(queue, {
        MessageBody: JSON.stringify(inputOf(event)),
        MessageGroupId: SqsParameters?.MessageGroupId,
      });
    } catch (error) {
      if (!deadLetters) throw error;
      const { message } = error as Error;
      await send(deadLetters, {
        MessageBody: JSON.stringify(event),
        MessageAttributes: textAttributes({
          ERROR_CODE: error instanceof UserFacingError ? 'NO_PERMISSIONS' : 'ERROR_FROM_TARGET',
          ERROR_MESSAGE: message,
          RULE_ARN: ruleArn,
          TARGET_ARN: Arn,
        }),
      });
    }
  };
};

const textAttributes = (texts: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(texts).map(([name, StringValue]) => [name, { DataType: 'String', StringValue }]));

const knownPath = /^\$(\.[\w-]+)*$/;

/** Compiles a path of names into an event; `$` is the whole event. Throws for any other kind of path. */
const compileInputPath = (path: string): ((event: unknown) => unknown) => {
  if (!knownPath.test(path)) throw new UserFacingError(`The local run does not know the path ${path} into an event.`);
  return (event) => {
    let value = event;
    for (const name of path.split('.').slice(1)) value = (value as Record<string, unknown> | undefined)?.[name];
    if (value === undefined) throw new UserFacingError(`There is nothing at ${path} of the event.`);
    return value;
  };
};

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

const daily = /^cron\((\d{1,2}) (\d{1,2}) \* \* \? \*\)$/;
const everyFewMinutes = /^rate\((?:1 minute|([2-9]|[1-9]\d{1,3}) minutes)\)$/;

const minuteMs = 60_000;

/**
 * Returns a function that computes the next time of a schedule: `cron(0 8 * * ? *)`, a time of every day in UTC, or
 * `rate(1 minute)`, counted from the previous run. Throws for any other schedule.
 */
export const compileSchedule = (expression: string): ((nowMs: number) => number) => {
  const [isRate, minutes = 1] = everyFewMinutes.exec(expression) ?? [];
  if (isRate) return (nowMs) => nowMs + Number(minutes) * minuteMs;
  const [, minute, hour] = daily.exec(expression) ?? [];
  if (minute === undefined || Number(minute) > 59 || Number(hour) > 23)
    throw new UserFacingError(
      `The local run knows schedules like cron(0 8 * * ? *) and rate(1 minute), not ${expression}.`,
    );
  return (nowMs) => {
    const due = new Date(nowMs);
    due.setUTCHours(Number(hour), Number(minute), 0, 0);
    if (due.getTime() <= nowMs) due.setUTCDate(due.getUTCDate() + 1);
    return due.getTime();
  };
};
