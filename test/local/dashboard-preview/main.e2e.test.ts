import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { proven } from '../../support/campaign.ts';
import { temporaryDirectory } from '../main-run.ts';

const main = resolve('local/dashboard-preview/main.ts');

const run = (options: readonly string[]) =>
  new Promise<{ exitCode: number; stderr: string }>((ended) => {
    const child = execFile(process.execPath, [main, ...options], { cwd: temporaryDirectory() }, (_, __, stderr) =>
      ended({ exitCode: child.exitCode ?? -1, stderr }),
    );
  });

test('a wrong option is reported in one sentence without a stack trace', proven, async () => {
  const { exitCode, stderr } = await run(['--scenari', 'x']);
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/^Unknown option '--scenari'\. Options: .*\.\n$/);
});
