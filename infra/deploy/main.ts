#!/usr/bin/env node
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { loadStageConfig } from '../../config/load.ts';
import { refusePlaceholders } from '../../config/placeholders.ts';
import { OperatorError } from '../../operator/errors/operator-error.ts';
import { deployStage } from './deploy.ts';
import { createDeployProgram, type DeployOptions } from './program.ts';
import { Refusal } from './refusal.ts';
import { checkOutCode, synthesizeStage } from './synthesize.ts';

const root = join(import.meta.dirname, '../..');
const print = (text: string) => void process.stdout.write(text);

const confirm = async (question: string): Promise<boolean> => {
  if (!process.stdin.isTTY) return false;
  const terminal = createInterface(process.stdin, process.stdout);
  const answer = await terminal.question(`${question} (yes/no) `);
  terminal.close();
  return answer.trim() === 'yes';
};

const deploy = async ({ stage, code, yes }: DeployOptions): Promise<void> => {
  const config = readConfig(stage);
  const checkout = code === undefined ? { root } : await checkOutCode({ commit: code, stage, root }, print);
  try {
    const synthesis = await synthesizeStage(stage, checkout.root, print);
    const deployment = { stage, account: config.account, region: config.region, ...synthesis };
    const stack = await deployStage(deployment, { print, confirm: yes ? async () => true : confirm });
    for (const { OutputKey, OutputValue, Description = '' } of stack?.Outputs ?? [])
      print(`${OutputKey}: ${OutputValue}${Description && `  (${Description})`}\n`);
  } finally {
    if ('remove' in checkout) await checkout.remove();
  }
};

const readConfig = (stage: string) => {
  try {
    const config = loadStageConfig(stage);
    refusePlaceholders(stage, config, { isDeployed: true });
    return config;
  } catch (error) {
    throw new Refusal((error as Error).message);
  }
};

try {
  await createDeployProgram(deploy).parseAsync();
} catch (error) {
  const isSentence = error instanceof Refusal || error instanceof OperatorError;
  process.stderr.write(`${isSentence ? (error as Error).message : (error as Error).stack}\n`);
  process.exitCode = 1;
}
