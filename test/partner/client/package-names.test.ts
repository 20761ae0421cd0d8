import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const textOf = (file: string) => readFileSync(file, 'utf8');
const { name, keywords } = JSON.parse(textOf('partner/client/package.json'));
const pyproject = textOf('partner/python/pyproject.toml');

test('both clients have the same name and keywords', () => {
  expect(/^name = "(.*)"$/m.exec(pyproject)?.[1]).toBe(name);
  expect(JSON.parse(/^keywords = (.*)$/m.exec(pyproject)?.[1] ?? '')).toEqual(keywords);
});

test.each([
  ['partner/client/README.md', /from '(.+?)(?:\/[\w-]+)?';/g],
  ['partner/client/README.md', /^from ((?!pathlib|typing)\w+) import/gm],
  ['docs/deploy.md', /`([\w@/-]+)` at npm/g],
  ['docs/deploy.md', /pkg set name=(\S+)/g],
  ['.github/workflows/release-client.yml', /publisher of ([\w@/-]*\w)/g],
])('%s names the package as its package.json does', (file, pattern) => {
  const named = [...textOf(file).matchAll(pattern)]
    .map(([, each = '']) => each)
    .filter((each) => !each.startsWith('node:'));
  expect(named.length).toBeGreaterThan(0);
  expect(new Set(named.map((each) => each.replaceAll('_', '-')))).toEqual(new Set([name]));
});
