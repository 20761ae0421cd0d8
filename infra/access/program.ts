import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { STSClient } from '@aws-sdk/client-sts';
import { Command } from 'commander';
import { callerIn } from '../../operator/connection/aws.ts';
import { cdkCli } from '../cdk-cli.ts';
import { readConfig } from '../deploy/program.ts';
import { Refusal } from '../deploy/run.ts';
import { accessCommands } from './cdk-commands.ts';

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
