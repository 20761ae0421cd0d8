import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readJsonIfWhole, replaceFile } from '../../src/host/files.ts';
import { temporaryDirectory } from '../fixture.ts';

test('a file takes the place of another with its own mode, and leaves nothing beside it', () => {
  const directory = temporaryDirectory();
  const file = join(directory, 'demo.json');
  for (const place of [file, `${file}.new`]) writeFileSync(place, '{"companies":', { mode: 0o644 });
  replaceFile(file, '{"companies":[]}', 0o600);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readJsonIfWhole(file)).toEqual({ companies: [] });
  expect(readdirSync(directory)).toEqual(['demo.json']);
});

test('what is missing, or was written by halves, is as good as nothing', () => {
  const file = join(temporaryDirectory(), 'demo.json');
  expect(readJsonIfWhole(file)).toBeUndefined();
  writeFileSync(file, '{"companies":');
  expect(readJsonIfWhole(file)).toBeUndefined();
});
