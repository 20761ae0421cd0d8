import { cpSync, globSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Stack } from '@aws-sdk/client-cloudformation';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { stackNameOf } from '../../config/schema.ts';
import type { JobName } from '../../lambdas/api/background-functions.ts';
import { loadStack } from '../assembly.ts';
import { changesSettingsAlone, changeTable, stackPolicyOf } from './plan.ts';
import { refusedChanges } from './refusals.ts';
import { Refusal, runCdk } from './run.ts';
import { type DeployedStack, openStage, type Stage } from './stack.ts';

type Deployment = Stage & {
  /** The checkout that the cloud assembly was synthesized in. */
  readonly root: string;
  /** The folder of the cloud assembly: what is reviewed is what is deployed. */
  readonly assembly: string;
  /** The logical ids of resources that may be lost. */
  readonly givenUp?: readonly string[];
  /** The jobs to run once at the end. */
  readonly jobs: readonly JobName[];
};

type Terminal = {
  readonly print: (text: string) => void;
  /** Asks whether to go on. */
  readonly confirm: (question: string) => Promise<boolean>;
};

/**
 * Deploys a synthesized stage: prepares a change set, shows it, refuses it if it would lose data, asks for confirmation,
 * executes it, protects the stack and runs the jobs. Returns the stack, or `undefined` if there was nothing to change. Throws a
 * Refusal if nothing was changed, and also if the execution fails, after CloudFormation has rolled it back.
 */
export const deployStage = async (deployment: Deployment, terminal: Terminal): Promise<Stack | undefined> => {
  const { stage, account, root, assembly, givenUp } = deployment;
  const { stackName, stack, isThere, deployed } = await openStage(deployment);
  const cdk = (options: readonly string[], { isQuiet = false } = {}) =>
    runCdk(['deploy', stackName, '--app', assembly, '--require-approval', 'never', ...options], {
      root,
      isQuiet,
      print: terminal.print,
    });
  const changeSetName = `deploy-${new Date().toISOString().replaceAll(/\D/g, '').slice(0, 14)}`;
  terminal.print(`Uploading the code and creating a change set for ${stackName}.\n`);
  await cdk(['--method', 'prepare-change-set', '--change-set-name', changeSetName], { isQuiet: true }).catch(
    (error) => {
      if (isThere || !(error instanceof Refusal)) throw error;
      const remedy = `If the account was never prepared for this stage, ask an administrator to run: npm run access -- --stage ${stage}`;
      throw new Refusal(`${error.message}\n${remedy}`);
    },
  );
  const changes = await stack.changes(changeSetName);
  const next = loadStack(assembly).template;

  if (changes.length === 0) {
    await stack.deleteChangeSet(changeSetName);
    await stack.setPolicy(stackPolicyOf(next));
    terminal.print(`${stackName} already matches the template.\n`);
    return undefined;
  }
  const withdraw = async (sentences: readonly string[]) => {
    await stack.deleteChangeSet(changeSetName);
    throw new Refusal(sentences.join('\n'));
  };
  terminal.print(`\n${changeTable(changes)}\n\n`);
  const refused = refusedChanges({ changes, deployed, next }, givenUp);
  if (refused.length > 0) await withdraw([...refused, 'Nothing was changed.']);
  if (!(await terminal.confirm(`Deploy these ${changes.length} changes to ${stackName} in account ${account}?`)))
    await withdraw(['Nothing was changed: the answer was not yes.']);

  if (isThere) await stack.setPolicy(stackPolicyOf(deployed));
  await cdk(['--method', 'execute-change-set', '--change-set-name', changeSetName]);
  await stack.setPolicy(stackPolicyOf(next));
  const after = await endOf(stack, stackName);
  await runJobs(deployment, terminal);
  return after;
};

/**
 * Runs each job once, which ends the alarms that ring until its first run, and proves that it runs. A job that fails is printed
 * and is no failure of the deployment: nothing was rolled back, its alarm rings, and what follows has to call the API.
 */
const runJobs = async (
  { stage, region, jobs }: Pick<Deployment, 'stage' | 'region' | 'jobs'>,
  { print }: Pick<Terminal, 'print'>,
): Promise<void> => {
  const client = new LambdaClient({ region });
  for (const name of jobs) {
    const FunctionName = `${stackNameOf(stage)}-${name}`;
    const fault = await client.send(new InvokeCommand({ FunctionName })).then(
      ({ FunctionError, Payload }) => FunctionError && Buffer.from(Payload ?? []).toString(),
      (error: Error) => `${error.name}: ${error.message}`,
    );
    print(
      fault === undefined
        ? `The job ${name} has run.\n`
        : `The deployment succeeded, but the job ${name} failed: ${fault}\nIts alarm rings until the job runs. Correct the cause, then run: aws lambda invoke --function-name ${FunctionName} /dev/stdout\n`,
    );
  }
};

/**
 * Returns whether a deployment would change settings of functions, and no code. Throws a Refusal if the stack cannot be
 * deployed to now.
 */
export const isOfSettingsAlone = async (deployment: Deployment): Promise<boolean> => {
  const { deployed } = await openStage(deployment);
  return changesSettingsAlone({ deployed, next: loadStack(deployment.assembly).template });
};

/**
 * Returns the stack. Throws a Refusal if its update was rolled back, which the CLI should have reported as a failure already.
 */
const endOf = async (stack: DeployedStack, stackName: string): Promise<Stack> => {
  const after = await stack.describe();
  if (after && /^(CREATE|UPDATE)_COMPLETE$/.test(`${after.StackStatus}`)) return after;
  throw new Refusal(
    `${stackName} is ${after?.StackStatus ?? 'not there'}: ${after?.StackStatusReason ?? 'see its events'}`,
  );
};

/**
 * Prints what a deployment would change, by property and by right. It only reads the stack and its template, so that a plan
 * needs no right to deploy. Throws a Refusal if the stack cannot be deployed to now.
 */
export const planStage = async (deployment: Deployment, { print }: Pick<Terminal, 'print'>): Promise<void> => {
  const { root, assembly } = deployment;
  const { stackName, deployed } = await openStage(deployment);
  const folder = inOneTemplate(assembly, stackName);
  const file = join(folder, 'deployed.template.json');
  writeFileSync(file, JSON.stringify(deployed));
  await runCdk(['diff', stackName, '--app', folder, '--template', file], { root, print });
};

/**
 * Copies the assembly with the nested stacks merged into the stack's template: the CDK CLI would look for the deployed nested
 * stacks in the account. Returns the folder of the copy.
 */
const inOneTemplate = (assembly: string, stackName: string): string => {
  const folder = join(assembly, 'plan');
  mkdirSync(folder, { recursive: true });
  for (const file of globSync('*.json', { cwd: assembly })) cpSync(join(assembly, file), join(folder, file));
  writeFileSync(join(folder, `${stackName}.template.json`), JSON.stringify(loadStack(assembly).template));
  return folder;
};
