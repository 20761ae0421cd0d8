#!/usr/bin/env node
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { Readable } from 'node:stream';
import { loadStageConfig, refusePlaceholders } from '../../config/load.ts';
import { print as printTo } from '../../operator/cli/output.ts';
import { OperatorError } from '../../operator/error.ts';
import { operatorHost } from '../../operator/host.ts';
import { runOperator } from '../../operator/run.ts';
import { deployStage } from './deploy.ts';
import { planStage } from './plan.ts';
import { createDeployProgram, type DeployOptions } from './program.ts';
import { Refusal } from './refusal.ts';
import { checkOutCode, synthesizeStage } from './synthesize.ts';

const root = join(import.meta.dirname, '../..');
const print = (text: string) => printTo(process.stdout, text);

const confirm = async (question: string): Promise<boolean> => {
  if (!process.stdin.isTTY) {
    print(`${question} Nobody can answer here; --yes answers beforehand.\n`);
    return false;
  }
  const terminal = createInterface(process.stdin, process.stdout);
  const answer = await terminal.question(`${question} (yes/no) `);
  terminal.close();
  return answer.trim() === 'yes';
};

/** What it finds is for the person to judge: a deployment may be the very remedy. */
const runOperatorCommand = async (command: string, stage: string, input: Readable = Readable.from([])) => {
  print(`partner-api-operator ${command} --stage ${stage}\n`);
  return runOperator([command, '--stage', stage], { ...operatorHost(), stdin: input });
};

const runSmoke = async (stage: string, keyFile: string | undefined): Promise<void> => {
  const again = `npx partner-api-operator smoke --stage ${stage} < <key file>`;
  if (keyFile === undefined) return print(`Call it now from a registered address: ${again}\n`);
  const exitCode = await runOperatorCommand('smoke', stage, createReadStream(keyFile));
  if (exitCode !== 0)
    throw new Refusal(`It is deployed, but does not serve as it should. Mend it or roll back, then: ${again}`);
};

const deploy = async ({ stage, code, plan, atOnce, yes, smokeKey }: DeployOptions): Promise<void> => {
  const config = readConfig(stage);
  const checkout = code === undefined ? { root } : await checkOutCode({ commit: code, stage, root }, print);
  try {
    if (!plan) await runOperatorCommand('doctor', stage);
    const synthesis = await synthesizeStage({ stage, atOnce, root: checkout.root }, print);
    const deployment = { stage, account: config.account, region: config.region, ...synthesis };
    if (plan) return await planStage(deployment, { print });
    const stack = await deployStage(deployment, { print, confirm: yes ? async () => true : confirm });
    for (const { OutputKey, OutputValue, Description = '' } of stack?.Outputs ?? [])
      print(`${OutputKey}: ${OutputValue}${Description && `  (${Description})`}\n`);
    await runSmoke(stage, smokeKey);
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
  printTo(process.stderr, `${isSentence ? (error as Error).message : (error as Error).stack}\n`);
  process.exitCode = 1;
}
