import { requireKnown } from '../errors/require-known.ts';
import { UserFacingError } from '../errors/user-facing-error.ts';
import type { FunctionPool } from '../functions/function-pool.ts';
import { traceIdAt } from '../functions/trace-id.ts';
import { readFunctionPermissions } from '../iam/function-permissions.ts';
import type { Resolve } from '../template/intrinsics.ts';
import { readResources } from '../template/resources.ts';
import type { Stack } from '../template/template.ts';
import { compileDailySchedule } from './daily-schedule.ts';
import { envelope } from './event-bus.ts';

type RuleProperties = {
  readonly ScheduleExpression: string;
  readonly State: string;
  readonly Targets: readonly { readonly Arn: string }[];
};

const knownProperties = ['Description', 'Name', 'ScheduleExpression', 'State', 'Targets'];

/** A rule that invokes its functions by the clock. */
export type ScheduledRule = {
  readonly nextDueMs: (nowMs: number) => number;
  /** Resolves when all have answered; throws where one failed or does not permit the invocation. */
  readonly run: () => Promise<void>;
};

export const compileScheduledRules = (
  { template, environment }: Stack,
  resolve: Resolve,
  functions: ReadonlyMap<string, FunctionPool>,
): ScheduledRule[] => {
  const isPermitted = readFunctionPermissions(template, resolve);
  return readResources<RuleProperties>(template, resolve, 'AWS::Events::Rule', knownProperties).map(
    ({ logicalId, ScheduleExpression, State, Targets }) => {
      const ruleArn = resolve<string>({ 'Fn::GetAtt': [logicalId, 'Arn'] });
      requireKnown('state of a rule', [State], ['ENABLED']);
      for (const target of Targets) requireKnown('property of a rule’s target', Object.keys(target), ['Arn', 'Id']);
      const invoke = async ({ Arn }: RuleProperties['Targets'][number]) => {
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
        nextDueMs: compileDailySchedule(ScheduleExpression),
        run: async () => void (await Promise.all(Targets.map(invoke))),
      };
    },
  );
};
