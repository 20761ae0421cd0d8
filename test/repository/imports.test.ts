import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { sourceFolders } from '../support/source-folders.ts';
import { findBackArrows, findForbiddenImports } from './imports.ts';

describe('import check', () => {
  const layers = { 'src/rules': ['node:crypto', '@scope/*'], 'src/store': ['src/rules', 'deep'], 'src/store/deep': [] };

  /** Returns the faults of a source tree with these files. */
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

  test('listed imports, and imports from the same folder, are allowed', () => {
    const faults = faultsIn({
      'src/rules/other.ts': `import { rule } from './rule.ts';\nimport 'node:crypto';\nimport '@scope/any';\nexport { rule };`,
      'src/store/store.ts': `import {\n  rule,\n} from '../rules/rule.ts';\nimport 'deep';\nexport { rule };`,
      'src/store/deep/part.ts': 'export const part = 1;',
    });
    expect(faults).toEqual([]);
  });

  test.each([
    ['a layer above', 'src/rules/wrong.ts', `import { store } from '../store/store.ts'; export { store };`],
    [
      'only a type of it',
      'src/rules/wrong.ts',
      `import type { Store } from '../store/store.ts'; export type A = Store;`,
    ],
    ['when it runs', 'src/rules/wrong.ts', `export const late = () => import('../store/store.ts');`],
    ['a module of Node.js', 'src/rules/wrong.ts', `import { readFileSync } from 'node:fs'; export { readFileSync };`],
    ['a package', 'src/rules/wrong.ts', `import 'commander';`],
    ['by the rule of the deepest folder', 'src/store/deep/wrong.ts', `export { rule } from '../../rules/rule.ts';`],
  ])('an import that is not listed is rejected: %s', (_, file, text) => {
    const store = 'export type Store = 1; export const store = 1;';
    const faults = faultsIn({ 'src/store/store.ts': store, [file]: text });
    expect(faults).toEqual([expect.stringMatching(new RegExp(`^${file} imports .+ may import itself and: `))]);
  });

  test('a package is imported only by its name, also by adjacent folders', () => {
    const file = 'src/store/wrong.ts';
    const faults = faultsIn({ [file]: `import './deep/part.ts';`, 'src/store/deep/part.ts': 'export const part = 1;' });
    expect(faults).toEqual([
      `${file} imports src/store/deep/part.ts. What src/store/deep offers is imported as 'deep' or 'deep/…'.`,
    ]);
  });
});

describe('back arrows', () => {
  test('no import has a counterpart in the other direction, types included', () => {
    expect(findBackArrows(resolve('.'), sourceFolders)).toEqual([]);
  });

  test('a back import is reported, also if it imports only a type, and from deep below', () => {
    const directory = mkdtempSync(join(tmpdir(), 'arrows-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const files = {
      'house/kitchen/stove.ts': "import { door } from '../hall/door.ts';\nexport const stove = door;\n",
      'house/hall/door.ts': 'export const door = 1;\n',
      'house/hall/deep/mat.ts': "import type { Pot } from '../../kitchen/pot.ts';\nexport const mat = {} as Pot;\n",
      'house/kitchen/pot.ts': 'export type Pot = { size: number };\n',
    };
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(directory, file)), { recursive: true });
      writeFileSync(join(directory, file), text);
    }
    expect(findBackArrows(directory, ['house'])).toEqual([
      'house/hall/deep/mat.ts imports house/kitchen/pot.ts, and house has a way back.',
      'house/kitchen/stove.ts imports house/hall/door.ts, and house has a way back.',
    ]);
  });
});
