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

export type AccessOptions = { readonly stage: string; readonly yes?: boolean };

/** The command line with which an administrator lets a stage be deployed. */
export const createAccessProgram = (run: (options: AccessOptions) => Promise<void> = giveAccess): Command =>
  new Command('npm run access --')
    .description(
      'Let a stage be deployed, as an administrator: its stack of rights, then its bootstrap. Run it again when rights change',
    )
    .requiredOption('--stage <name>', 'a stage, as in config/<name>.json')
    .option('--yes', 'give the rights without a question')
    .action(run);

const giveAccess = async ({ stage, yes }: AccessOptions): Promise<void> => {
  const config = readConfig(stage);
  await callerIn(config.account, stage, new STSClient({ region: config.region }));
  for (const options of accessCommands(stage, config, { yes })) await runCdk(options);
};

/**
 * What the CDK's program is run with, in this order: the bootstrap names policies of the stack of access. The boundary of the
 * stage's roles is there before any of these roles.
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

/** It may ask whether to go on, so it has the terminal. */
const runCdk = async (options: readonly string[]): Promise<void> => {
  const { command, arguments: commandLine, environment } = cdkCli([...options, '--no-notices'], root);
  const child = spawn(command, commandLine, { cwd: root, env: environment, stdio: 'inherit' });
  const [exitCode] = await once(child, 'close');
  if (exitCode !== 0)
    throw new Refusal(
      `cdk ${options[0]} ended with exit code ${exitCode}; it has said why above. Then run this again.`,
    );
};
