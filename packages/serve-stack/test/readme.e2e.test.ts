import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { buildServeStack } from '../build.ts';
import { synthesizeBooks } from './books-stack.ts';
import { temporaryDirectory } from './fixture.ts';

const folder = join(import.meta.dirname, '..');

/** Installs the built package in a project, with the dependencies of this one. */
const installIn = (directory: string) => {
  const installed = join(folder, '../../node_modules');
  const packages = join(directory, 'node_modules');
  mkdirSync(packages);
  for (const name of readdirSync(installed))
    if (name !== 'serve-stack') symlinkSync(join(installed, name), join(packages, name));
  buildServeStack(join(packages, 'serve-stack'));
};

test.each([
  ['by the lines of the README', ['serve.mts']],
  ['by its command', ['node_modules/serve-stack/main.js', 'cdk.out', '--port', '0']],
])('the package as it is published serves a stack of books: %s', async (_, commandLine) => {
  const directory = temporaryDirectory();
  const [, lines = ''] = /```ts\n(.*?)```/s.exec(readFileSync(join(folder, 'README.md'), 'utf8')) ?? [];
  writeFileSync(join(directory, 'serve.mts'), lines.replace('port: 8443', 'port: 0'));
  installIn(directory);
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
