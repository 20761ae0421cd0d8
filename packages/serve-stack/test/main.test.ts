import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from './fixture.ts';

const main = join(import.meta.dirname, '../main.ts');

test.each([
  ['no assembly', [], /^Name one cloud assembly\.\n\nUsage: serve-stack /],
  ['an unknown option', ['cdk.out', '--prot', '1'], /^Unknown option '--prot'.*\n\nUsage: serve-stack /],
  ['a port that is none', ['cdk.out', '--port', 'x'], /^x is no port\./],
  [
    'a folder that is no assembly',
    ['.'],
    /^\. is no cloud assembly: it has no manifest\.json\. Run npx cdk synth first\.$/m,
  ],
])('the command says in a sentence what is wrong with %s', (_, options, message) => {
  const { status, stderr } = spawnSync(process.execPath, [main, ...options], {
    cwd: temporaryDirectory(),
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([1, expect.stringMatching(message)]);
  expect(stderr).not.toMatch(/^ +at /m);
});
