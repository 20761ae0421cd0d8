import { Command } from 'commander';

export type DeployOptions = {
  readonly stage: string;
  readonly code?: string;
  readonly plan?: boolean;
  readonly atOnce: boolean;
  readonly yes?: boolean;
  /** The file of a key of a company that calls from this address. */
  readonly smokeKey?: string;
};

/** The command line of the deployment. */
export const createDeployProgram = (deploy: (options: DeployOptions) => Promise<void>): Command =>
  new Command('npm run deploy --')
    .description('Deploy a stage: checks, change set, refusal of what would lose data, question, deployment')
    .requiredOption('--stage <name>', 'a stage, as in config/<name>.json')
    .option('--code <commit>', 'roll back, at once: the code of this commit with the configuration of this checkout')
    .option('--at-once', 'move all requests to new versions at once, without ten minutes of every tenth request')
    .option('--plan', 'show what would change, and change nothing')
    .option('--smoke-key <file>', 'call the API afterwards with the key in this file, from this address')
    .option('--yes', 'deploy without a question')
    // A roll-back is for an emergency, in which CodeDeploy would start nothing: its alarm rings.
    .action(({ atOnce, ...options }) => deploy({ ...options, atOnce: atOnce ?? options.code !== undefined }));
