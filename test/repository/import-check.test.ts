import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findForbiddenImports } from './import-check.ts';

const layers = { 'src/rules': ['node:crypto', '@scope/*'], 'src/store': ['src/rules', 'deep'], 'src/store/deep': [] };

/** What is said of a source tree with these files. */
const faultsIn = (files: Readonly<Record<string, string>>): string[] => {
  const directory = mkdtempSync(join(tmpdir(), 'layers-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const all = { 'src/rules/rule.ts': 'export type Rule = 1; export const rule = 1;', ...files };
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), text);
  }
  return findForbiddenImports(directory, layers, { 'src/store/deep': 'deep' });
};

test('what is listed, and what is in the same folder, may be imported', () => {
  const faults = faultsIn({
    'src/rules/other.ts': `import { rule } from './rule.ts';\nimport 'node:crypto';\nimport '@scope/any';\nexport { rule };`,
    'src/store/store.ts': `import {\n  rule,\n} from '../rules/rule.ts';\nimport 'deep';\nexport { rule };`,
    'src/store/deep/part.ts': 'export const part = 1;',
  });
  expect(faults).toEqual([]);
});

test.each([
  ['a layer above', 'src/rules/wrong.ts', `import { store } from '../store/store.ts'; export { store };`],
  ['only a type of it', 'src/rules/wrong.ts', `import type { Store } from '../store/store.ts'; export type A = Store;`],
  ['when it runs', 'src/rules/wrong.ts', `export const late = () => import('../store/store.ts');`],
  ['a module of Node.js', 'src/rules/wrong.ts', `import { readFileSync } from 'node:fs'; export { readFileSync };`],
  ['a package', 'src/rules/wrong.ts', `import 'commander';`],
  ['by the rule of the deepest folder', 'src/store/deep/wrong.ts', `export { rule } from '../../rules/rule.ts';`],
])('an import that is not listed is refused: %s', (_, file, text) => {
  const store = 'export type Store = 1; export const store = 1;';
  const faults = faultsIn({ 'src/store/store.ts': store, [file]: text });
  expect(faults).toEqual([expect.stringMatching(new RegExp(`^${file} imports .+ may import itself and: `))]);
});

test('a package is imported by its name alone, also by its neighbours', () => {
  const file = 'src/store/wrong.ts';
  const faults = faultsIn({ [file]: `import './deep/part.ts';`, 'src/store/deep/part.ts': 'export const part = 1;' });
  expect(faults).toEqual([
    `${file} imports src/store/deep/part.ts. What src/store/deep offers is imported as 'deep' or 'deep/…'.`,
  ]);
});
