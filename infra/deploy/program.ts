import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { Readable } from 'node:stream';
import { Command } from 'commander';
import { loadStageConfig, refusePlaceholders } from '../../config/load.ts';
import { jobsOfDeployment } from '../../lambdas/api/background-functions.ts';
import { print as printTo } from '../../operator/cli/output.ts';
import { operatorHost } from '../../operator/host.ts';
import { runOperator } from '../../operator/run.ts';
import { deployStage, isOfSettingsAlone, planStage } from './deploy.ts';
import { checkOutCode, keepDataResources } from './roll-back.ts';
import { Refusal } from './run.ts';
import { openStage } from './stack.ts';
import { synthesizeStage } from './synthesize.ts';

const root = join(import.meta.dirname, '../..');
const print = (text: string) => printTo(process.stdout, text);

type DeployOptions = {
  readonly stage: string;
  readonly code?: string;
  readonly plan?: boolean;
  readonly atOnce: boolean;
  readonly reconnectStreams?: boolean;
  readonly yes?: boolean;
  /** The logical ids of resources that may be lost with their content. */
  readonly giveUp?: readonly string[];
  /** The file with a key of a company that may call from this address. */
  readonly smokeKey?: string;
};

/** Builds the command line of the deployment. */
export const createDeployProgram = (run: (options: DeployOptions) => Promise<void> = deploy): Command =>
  new Command('npm run deploy --')
    .description('Deploy a stage: check it, create a change set, refuse changes that lose data, ask, and deploy')
    .requiredOption('--stage <name>', 'a stage, as in config/<name>.json')
    .option(
      '--code <commit>',
      'roll back at once: deploy the code of this commit with the configuration of this checkout',
    )
    .option(
      '--at-once',
      'move all requests to new versions at once, instead of a tenth for ten minutes first; implied if only settings change',
    )
    .option(
      '--reconnect-streams',
      'make CloudFormation read the streams of the tables again, after a deleted table was restored under its own name',
    )
    .option('--plan', 'show what would change, and change nothing')
    .option(
      '--give-up <id...>',
      'allow the loss of these resources and their data (logical ids); not possible for retained resources',
    )
    .option('--smoke-key <file>', 'call the API from this machine after the deployment, with the key in this file')
    .option('--yes', 'deploy without asking')
    // A roll-back is for an emergency, in which CodeDeploy would not start: its alarm is in ALARM.
    .action(({ atOnce, ...options }) => run({ ...options, atOnce: atOnce ?? options.code !== undefined }));

const deploy = async (options: DeployOptions): Promise<void> => {
  const { stage, code, plan, atOnce, reconnectStreams, yes, giveUp = [], smokeKey } = options;
  const config = readConfig(stage);
  const checkout = code === undefined ? { root } : await checkOutCode({ commit: code, stage, root }, print);
  try {
    if (!plan) await runOperatorCommand('doctor', stage);
    const request = { stage, reconnectStreams, root: checkout.root };
    const synthesis = await synthesizeStage({ ...request, atOnce }, print);
    const { account, region } = config;
    const deployment = { stage, account, region, givenUp: giveUp, jobs: jobsOfDeployment, ...synthesis };
    if (code !== undefined) keepDataResources({ ...deployment, ...(await openStage(deployment)) }, print);
    if (!atOnce && (await isOfSettingsAlone(deployment))) {
      print(
        'Only settings of functions change, no code: they take effect for all requests at once, not for a tenth of them first.\n',
      );
      await synthesizeStage({ ...request, atOnce: true }, print);
    }
    if (plan) return await planStage(deployment, { print });
    const stack = await deployStage(deployment, { print, confirm: yes ? async () => true : confirm });
    for (const { OutputKey, OutputValue, Description = '' } of stack?.Outputs ?? [])
      print(`${OutputKey}: ${OutputValue}${Description && `  (${Description})`}\n`);
    await runSmoke(stage, smokeKey);
  } finally {
    if ('remove' in checkout) await checkout.remove();
  }
};

const confirm = async (question: string): Promise<boolean> => {
  if (!process.stdin.isTTY) {
    print(`${question} There is no terminal to answer on. To answer in advance, use --yes.\n`);
    return false;
  }
  const terminal = createInterface(process.stdin, process.stdout);
  const answer = await terminal.question(`${question} (yes/no) `);
  terminal.close();
  return answer.trim() === 'yes';
};

/** Runs an operator command and returns its exit code. Findings do not stop a deployment, which may be their remedy. */
const runOperatorCommand = async (command: string, stage: string, input: Readable = Readable.from([])) => {
  print(`partner-api-operator ${command} --stage ${stage}\n`);
  return runOperator([command, '--stage', stage], { ...operatorHost(), stdin: input });
};

const runSmoke = async (stage: string, keyFile: string | undefined): Promise<void> => {
  const again = `npx partner-api-operator smoke --stage ${stage} < <key file>`;
  if (keyFile === undefined) return print(`Now run the smoke test from a registered address: ${again}\n`);
  const exitCode = await runOperatorCommand('smoke', stage, createReadStream(keyFile));
  if (exitCode !== 0)
    throw new Refusal(
      `The deployment succeeded, but the smoke test failed. Fix the fault or roll back, then run: ${again}`,
    );
};

/**
 * Returns the configuration of a stage that can be deployed. Throws a Refusal with sentences that say what is wrong with it.
 */
export const readConfig = (stage: string) => {
  try {
    const config = loadStageConfig(stage);
    refusePlaceholders(stage, config, { isDeployed: true });
    return config;
  } catch (error) {
    throw new Refusal((error as Error).message);
  }
};
