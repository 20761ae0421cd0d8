import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { STSClient } from '@aws-sdk/client-sts';
import { callerIn } from '../../operator/connection/aws.ts';
import { openStack } from './deployed-stack.ts';
import { Refusal } from './refusal.ts';
import { stackIsThere, stateRefusal } from './stack-state.ts';
import type { Template } from './template.ts';
import { stackNameOf } from '../../config/schema.ts';

/** A stage and where it belongs. */
export type Stage = { readonly stage: string; readonly account: string; readonly region: string };

/**
 * Finds the stack of a stage, and the template that it has: one without resources if it is not there yet. Throws a Refusal
 * if nothing can be deployed to it now, or if the credentials are of another account.
 */
export const openStage = async ({ stage, account, region }: Stage) => {
  const stackName = stackNameOf(stage);
  await callerIn(account, stage, new STSClient({ region }));
  const stack = openStack(new CloudFormationClient({ region }), stackName);
  const before = await stack.describe();
  const refusal = stateRefusal(before);
  if (refusal) throw new Refusal(refusal);
  const isThere = stackIsThere(before);
  const deployed: Template = isThere ? await stack.template() : { Resources: {} };
  return { stackName, stack, isThere, deployed };
};
