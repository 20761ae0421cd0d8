import { globSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';

const folder = join(import.meta.dirname, '../src');
const files = globSync('**/*.{ts,mjs}', { cwd: folder, exclude: ['node_modules'] });

const importsOf = (file: string): string[] =>
  [...readFileSync(join(folder, file), 'utf8').matchAll(/^(?:import|export)(?:[^']* from)? '([^']+)';$/gm)].map(
    ([, name = '']) => name,
  );

test('the package imports files of its own, modules of Node.js, and the packages that it declares', () => {
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
