import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { type Plan, planVariable, type Report } from './report.ts';

/** Runs tests, all or those of the files, under the mutants of the commands that they send. */
export const runUnderMutants = async (plan: Omit<Plan, 'report'>, files: readonly string[] = []): Promise<Report> => {
  const directory = mkdtempSync(join(tmpdir(), 'mutants-'));
  const report = join(directory, 'report.json');
  const planFile = join(directory, 'plan.json');
  writeFileSync(planFile, JSON.stringify({ ...plan, report } satisfies Plan));
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/support/mutants/vitest.config.ts'];
  const child = spawn(process.execPath, [...vitest, '--root', '.', ...files], {
    env: { ...environment(), [planVariable]: planFile },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill());
  const [stdout, stderr, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  if (exitCode !== 0) throw new Error(`The tests could not be run under mutants:\n${stdout}\n${stderr}`);
  return JSON.parse(readFileSync(report, 'utf8'));
};

/** A run of its own, with a DynamoDB Local of its own. */
const environment = () =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^VITEST|^DYNAMODB_LOCAL_OF_THIS_TEST_RUN$/.test(name)),
  );
