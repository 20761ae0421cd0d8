import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import { campaign, provenTest } from '../../../test/support/campaign.ts';
import { synthesizeBooks } from './books-stack.ts';
import { temporaryDirectory } from './fixture.ts';

provenTest('the ten lines of the README serve a stack of books', campaign, async () => {
  const directory = temporaryDirectory();
  const [, lines = ''] = /```ts\n(.*?)```/s.exec(readFileSync('packages/serve-stack/README.md', 'utf8')) ?? [];
  writeFileSync(join(directory, 'serve.mts'), lines.replace('port: 8443', 'port: 0'));
  symlinkSync(resolve('node_modules'), join(directory, 'node_modules'));
  symlinkSync(synthesizeBooks(), join(directory, 'cdk.out'));

  const child = spawn(process.execPath, ['serve.mts'], { cwd: directory });
  try {
    const failure = text(child.stderr).then((message) => {
      throw new Error(message);
    });
    let output = '';
    while (!/^curl .*\n/m.test(output)) {
      const [printed] = await Promise.race([once(child.stdout, 'data'), failure]);
      output += printed;
    }
    const curl = `${output.split('\n').find((line) => line.startsWith('curl '))} --silent`;
    expect(execFileSync('bash', ['-c', curl], { cwd: directory, encoding: 'utf8' })).toBe('[]');
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([0, null]);
  } finally {
    child.kill('SIGKILL');
  }
});
