import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { STSClient } from '@aws-sdk/client-sts';
import { Command } from 'commander';
import type { StageConfig } from '../../config/schema.ts';
import { callerIn } from '../../operator/connection/aws.ts';
import { cdkCli } from '../cdk-cli.ts';
import { readConfig } from '../deploy/program.ts';
import { Refusal } from '../deploy/run.ts';
import { bootstrapOptions } from './bootstrap.ts';
import { executionPolicyArnsOf } from './rights.ts';
import { scopeOf } from './stack.ts';

const root = join(import.meta.dirname, '../..');

type AccessOptions = { readonly stage: string; readonly yes?: boolean };

/** Builds the command line with which an administrator grants the rights to deploy a stage. */
export const createAccessProgram = (run: (options: AccessOptions) => Promise<void> = giveAccess): Command =>
  new Command('npm run access --')
    .description(
      'As an administrator, grant the rights to deploy a stage: deploy its access stack, then bootstrap. Run it again when rights change',
    )
    .requiredOption('--stage <name>', 'a stage, as in config/<name>.json')
    .option('--yes', 'grant the rights without asking')
    .action(run);

const giveAccess = async ({ stage, yes }: AccessOptions): Promise<void> => {
  const config = readConfig(stage);
  await callerIn(config.account, stage, new STSClient({ region: config.region }));
  for (const options of accessCommands(stage, config, { yes })) await runCdk(options);
};

/**
 * Returns the CDK CLI's arguments for each run, in order: the access stack comes first, since the bootstrap names its policies.
 * So the boundary of the stage's roles exists before any of these roles.
 */
export const accessCommands = (
  stage: string,
  config: StageConfig,
  { yes }: { readonly yes?: boolean | undefined },
): string[][] => {
  const scope = scopeOf(stage, config);
  return [
    [
      ...['deploy', '--app', 'node infra/access/app.ts', '--output', '.build/access', '--context', `stage=${stage}`],
      ...(yes ? ['--require-approval', 'never'] : []),
    ],
    bootstrapOptions(scope, executionPolicyArnsOf(scope)),
  ];
};

/** Gives the CDK CLI the terminal, since the CLI may ask whether to continue. */
const runCdk = async (options: readonly string[]): Promise<void> => {
  const { command, arguments: commandLine, environment } = cdkCli([...options, '--no-notices'], root);
  const child = spawn(command, commandLine, { cwd: root, env: environment, stdio: 'inherit' });
  const [exitCode] = await once(child, 'close');
  if (exitCode !== 0)
    throw new Refusal(
      `cdk ${options[0]} ended with exit code ${exitCode}; see its output above. Correct that and run this again.`,
    );
};
