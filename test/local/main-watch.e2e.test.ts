import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { proven } from '../support/campaign.ts';
import { answerOf, copyCheckout, demoOf, type MainRun, startMain, untilPrinted } from './main-run.ts';

/** Returns the lines about the next swap: one line, without the output of the tools. */
const nextSwap = async (run: MainRun, change: () => void): Promise<string[]> => {
  run.output.stdout = '';
  change();
  await untilPrinted(run, /^(Swapped|Not swapped).*\n/m);
  // Ignores other lines: a schedule may start a function before the machine has time for it.
  expect(run.output.stdout.replace(/^A scheduled run failed: .*\n/gm, '')).not.toMatch(/ERROR|^ +at /m);
  return run.output.stdout.split('\n').filter((line) => /swapped/i.test(line));
};

test('--watch survives a mistake and serves the current sources with the same port and data', proven, async () => {
  // A separate checkout, because the test breaks its sources. Its stack and site are already built.
  const root = copyCheckout(['.build/local/cdk.out', '.build/site']);
  const handlerFile = join(root, 'lambdas/handlers/contract.ts');
  const handler = readFileSync(handlerFile, 'utf8');
  const run = startMain(['--port', '0', '--without-fleet', '--watch'], { root });
  const demo = await demoOf(run);
  const { keyId } = JSON.parse(await answerOf(demo, '/api-keys', 201, { method: 'POST' }));

  expect(await nextSwap(run, () => writeFileSync(handlerFile, 'export const = 1;\n'))).toEqual([
    expect.stringMatching(
      /^Not swapped, still serving the previous version: lambdas\/handlers\/contract\.ts:1:13: Expected .*/,
    ),
  ]);
  await answerOf(demo, '/contract', 200);

  expect(await nextSwap(run, () => writeFileSync(handlerFile, `console.log('the new code');\n${handler}`))).toEqual([
    expect.stringMatching(/^Swapped after [\d.]+ s: lambdas\/handlers\/contract\.ts is served now\.$/),
  ]);
  await answerOf(demo, '/contract', 200);
  const logFile = join(run.cwd, '.local/logs/PartnerApi-local-getContract.log');
  expect(readFileSync(logFile, 'utf8')).toContain('the new code');
  expect(await answerOf(demo, '/api-keys', 200)).toContain(keyId);
  run.child.kill('SIGTERM');
  expect(await run.ended).toMatchObject({ exitCode: 0, stderr: '' });
});
