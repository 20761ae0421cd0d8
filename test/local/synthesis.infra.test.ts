import { statSync } from 'node:fs';
import { expect, inject, test } from 'vitest';
import { synthesizeIfStale } from '../../local/synthesis.ts';

test('unchanged inputs are not synthesized again', async () => {
  const before = statSync(inject('assemblyDirectory'));
  expect(await synthesizeIfStale()).toBe(inject('assemblyDirectory'));
  expect(statSync(inject('assemblyDirectory')).ino).toBe(before.ino);
});
