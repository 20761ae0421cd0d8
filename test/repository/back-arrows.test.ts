import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findBackArrows } from './back-arrows.ts';

test('no import runs back up, types included', () => {
  expect(
    findBackArrows(resolve('.'), ['config', 'docs', 'infra', 'lambdas', 'local', 'operator', 'packages', 'partner']),
  ).toEqual([]);
});

test('one that does is told, also if it imports a type only, and from deep below', () => {
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
