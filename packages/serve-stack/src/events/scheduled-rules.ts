import { UserFacingError } from '../errors/user-facing-error.ts';
import type { FunctionPool } from '../functions/function-pool.ts';
import { traceIdAt } from '../functions/trace-id.ts';
import { readFunctionPermissions } from '../iam/function-permissions.ts';
import type { Resolve } from '../template/intrinsics.ts';
import type { Stack } from '../template/template.ts';
import { envelope } from './event-bus.ts';
import { type RuleTarget, readRules, requireKnownTargets } from './rule-definitions.ts';
import { compileSchedule } from './schedule.ts';

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
