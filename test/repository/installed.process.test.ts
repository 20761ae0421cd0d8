import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));

/** Plays the check of a script in a checkout in which npm left out the tools. */
const check = (script: string) => {
  const checkout = mkdtempSync(join(tmpdir(), 'checkout-'));
  const [, file = ''] = /^node (local\S+\.mjs) && /.exec(scripts[script]) ?? [];
  cpSync(file, join(checkout, file));
  const env = { ...process.env, npm_lifecycle_event: script };
  const { status, stdout, stderr } = spawnSync(process.execPath, [file], { cwd: checkout, env, encoding: 'utf8' });
  return [status, stdout, stderr];
};

test.each(['prepare', 'start', 'test', 'check'])(
  'without its tools, npm run %s says in a sentence what to do',
  (script) => {
    expect(check(script)).toEqual([
      1,
      '',
      expect.stringMatching(/^Tools of this project are not .*npm ci --include=dev\n$/),
    ]);
  },
);

test.each(['operator', 'demo'])('npm run %s needs no tools, and runs in the image', (script) => {
  expect(check(script)).toEqual([0, '', '']);
});
