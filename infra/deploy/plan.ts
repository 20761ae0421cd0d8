import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { STSClient } from '@aws-sdk/client-sts';
import { callerIn } from '../../operator/connection/caller.ts';
import type { Deployment, Terminal } from './deploy.ts';
import { openStack } from './deployed-stack.ts';
import { Refusal } from './refusal.ts';
import { runCdk } from './run-cdk.ts';
import { stackIsThere, stateRefusal } from './stack-state.ts';

/**
 * Shows what a deployment would change, property by property and right by right. It reads the stack and its template and
 * nothing else, so that a plan needs no right to deploy. Throws a Refusal if nothing can be deployed now.
 */
export const planStage = async (deployment: Deployment, { print }: Pick<Terminal, 'print'>): Promise<void> => {
  const { stage, account, region, root, assembly } = deployment;
  const stackName = `PartnerApi-${stage}`;
  await callerIn(account, stage, new STSClient({ region }));
  const stack = openStack(new CloudFormationClient({ region }), stackName);
  const before = await stack.describe();
  const refusal = stateRefusal(before);
  if (refusal) throw new Refusal(refusal);
  const deployed = join(assembly, 'deployed.template.json');
  writeFileSync(deployed, JSON.stringify(stackIsThere(before) ? await stack.template() : { Resources: {} }));
  await runCdk(['diff', stackName, '--app', assembly, '--template', deployed], { root, print });
};
