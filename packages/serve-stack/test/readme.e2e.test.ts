import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import { synthesizeBooks } from './books-stack.ts';
import { longTest, longTestOptions, temporaryDirectory } from './fixture.ts';

const folder = join(import.meta.dirname, '..');

longTest.each([
  ['the lines of the README', ['serve.mts']],
  ['the command', [join(folder, 'main.ts'), 'cdk.out', '--port', '0']],
])('%s: a stack of books is served', longTestOptions, async (_, commandLine) => {
  const directory = temporaryDirectory();
  const [, lines = ''] = /```ts\n(.*?)```/s.exec(readFileSync(join(folder, 'README.md'), 'utf8')) ?? [];
  writeFileSync(join(directory, 'serve.mts'), lines.replace('port: 8443', 'port: 0'));
  symlinkSync(resolve('node_modules'), join(directory, 'node_modules'));
  symlinkSync(synthesizeBooks(), join(directory, 'cdk.out'));

  const child = spawn(process.execPath, commandLine, { cwd: directory });
  try {
    const failure = text(child.stderr).then((message) => {
      throw new Error(message);
    });
    let output = '';
    while (!/curl .*\n/.test(output)) {
      const [printed] = await Promise.race([once(child.stdout, 'data'), failure]);
      output += printed;
    }
    const [curl = ''] = /curl --cacert \S+ \S+(?=\/)/.exec(output) ?? [];
    const command = `${curl.replace(/\/books$/, '')}/books --silent`;
    expect(execFileSync('bash', ['-c', command], { cwd: directory, encoding: 'utf8' })).toBe('[]');
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([0, null]);
  } finally {
    child.kill('SIGKILL');
  }
});
