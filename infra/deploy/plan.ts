import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Deployment, Terminal } from './deploy.ts';
import { openStage } from './open-stage.ts';
import { runCdk } from './run-cdk.ts';

/**
 * Shows what a deployment would change, property by property and right by right. It reads the stack and its template and
 * nothing else, so that a plan needs no right to deploy. Throws a Refusal if nothing can be deployed now.
 */
export const planStage = async (deployment: Deployment, { print }: Pick<Terminal, 'print'>): Promise<void> => {
  const { root, assembly } = deployment;
  const { stackName, deployed } = await openStage(deployment);
  const file = join(assembly, 'deployed.template.json');
  writeFileSync(file, JSON.stringify(deployed));
  await runCdk(['diff', stackName, '--app', assembly, '--template', file], { root, print });
};
