import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../aws/fixture.ts';

const main = resolve('local/rehearsal/main.ts');

const run = (options: readonly string[]) =>
  new Promise<{ exitCode: number; stderr: string }>((ended) => {
    const child = execFile(process.execPath, [main, ...options], { cwd: temporaryDirectory() }, (_, __, stderr) =>
      ended({ exitCode: child.exitCode ?? -1, stderr }),
    );
  });

test.each([
  ['an unknown option', ['--scenari', 'x'], /^Unknown option '--scenari'\. Known are .*\.\n$/],
  ['no scenario', ['--scenario', 'toString'], /^--scenario toString is none; known are healthy, .*silence\.\n$/],
  ['too short a run', ['--seconds', '5'], /^--seconds 5 is none; write a whole number from 6 to 600\.\n$/],
  ['no port', ['--port', '65536'], /^--port 65536 is no port; write a number from 0 .* to 65535\.\n$/],
])('%s is told in one sentence', async (_, options, sentence) => {
  const { exitCode, stderr } = await run(options);
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(sentence);
});
