import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from './fixture.ts';

const folder = join(import.meta.dirname, '../src');
const files = globSync('**/*.{ts,mjs}', { cwd: folder, exclude: ['node_modules'] });

const importsOf = (file: string): string[] =>
  [...readFileSync(join(folder, file), 'utf8').matchAll(/^(?:import|export)(?:[^']* from)? '([^']+)';$/gm)].map(
    ([, name = '']) => name,
  );

test('the package imports only its own files, modules of Node.js, and its declared dependencies', () => {
  const { dependencies } = JSON.parse(readFileSync(join(folder, '../package.json'), 'utf8'));
  const isOwn = (file: string, name: string) =>
    name.startsWith('.') && !relative(folder, join(folder, dirname(file), name)).startsWith('..');
  const isKnown = (name: string) => name in dependencies || isBuiltin(name);
  const strange = files.flatMap((file) =>
    importsOf(file)
      .filter((name) => !isOwn(file, name) && !isKnown(name))
      .map((name) => `${file} imports ${name}`),
  );
  expect(strange).toEqual([]);
  expect(files.flatMap(importsOf)).toContain('@aws-sdk/client-dynamodb');
});

describe('the command', () => {
  const main = join(import.meta.dirname, '../main.ts');

  test.each([
    ['no assembly', [], /^Name one cloud assembly\.\n\nUsage: serve-stack /],
    ['an unknown option', ['cdk.out', '--prot', '1'], /^Unknown option '--prot'.*\n\nUsage: serve-stack /],
    ['an invalid port', ['cdk.out', '--port', 'x'], /^x is no port\./],
    [
      'a folder without an assembly',
      ['.'],
      /^\. is no cloud assembly: it has no manifest\.json\. Run npx cdk synth first\.$/m,
    ],
  ])('says in a sentence what is wrong with %s', (_, options, message) => {
    const { status, stderr } = spawnSync(process.execPath, [main, ...options], {
      cwd: temporaryDirectory(),
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([1, expect.stringMatching(message)]);
    expect(stderr).not.toMatch(/^ +at /m);
  });
});
