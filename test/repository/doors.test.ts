import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { countDoors, printedDoors } from './doors.ts';

const lines = (count: number) => 'export {};\n'.repeat(count);

const files = {
  'house/hall/hall.ts': `import './hook.ts';\nimport './coat.ts';\nimport '../stack/inner.ts';\nimport 'serve-stack';\n`,
  'house/hall/hook.ts': lines(59),
  'house/hall/coat.ts': lines(60),
  'house/kitchen.ts': `import type { Hall } from './hall/hall.ts';\n`,
  'house/attic/box.ts': lines(301),
  'house/generated/long.ts': lines(500),
  'house/stack/package.json': '{ "name": "serve-stack" }',
  'house/stack/inner.ts': `import './deep/deep.ts';\n`,
  'house/stack/deep/deep.ts': lines(1),
  'test/house/stack/inner.test.ts': `import '../../../house/stack/inner.ts';\n`,
  'test/house/attic.test.ts': `import '../../house/attic/box.ts';\nimport '../../house/stack/deep/deep.ts';\n`,
  'docs/decisions/0001-doors.md': '',
  'docs/decisions/README.md': '',
};

const treeOf = (texts: Readonly<Record<string, string>>): string => {
  const directory = mkdtempSync(join(tmpdir(), 'doors-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  for (const [file, text] of Object.entries(texts)) {
    mkdirSync(dirname(join(directory, file)), { recursive: true });
    writeFileSync(join(directory, file), text);
  }
  return directory;
};

test('the doors of a tree are counted, those with names by name', () => {
  const doors = countDoors(treeOf(files), Object.keys(files));
  expect(doors).toEqual({
    'tracked files': { count: 13 },
    'code files': { count: 10 },
    'lines of TypeScript written by hand': { count: 430 },
    'mean lines of a source file': { count: 61 },
    'source files over 300 lines': { count: 1, names: ['house/attic/box.ts'] },
    'source files with one importer': { count: 5 },
    'files under 60 lines that one file of their folder imports, and nobody else': {
      count: 1,
      names: ['house/hall/hook.ts (hall.ts)'],
    },
    'folders of one or two files': {
      count: 6,
      names: ['house/attic', 'house/generated', 'house/stack/deep', 'test', 'test/house', 'test/house/stack'],
    },
    'imports of inner modules of serve-stack': {
      count: 2,
      names: ['house/hall/hall.ts: 1', 'test/house/attic.test.ts: 1'],
    },
    'pages of decisions': { count: 1 },
  });
  expect(printedDoors(doors)).toContain('       1  source files over 300 lines\n            house/attic/box.ts\n');
});
