import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commitOf } from '../../../infra/deploy/synthesize.ts';
import { createRepository, hasGit } from './git-repository.ts';

describe.skipIf(!hasGit)('the commit of a checkout', () => {
  const open = () => createRepository({ 'code.ts': '1', 'config/prod.json': '1' });

  test('is the one that is checked out, whatever its configuration', async () => {
    const { root, write, first } = open();
    write({ 'config/prod.json': '2' });
    expect(await commitOf(root)).toBe(first);
  });

  test.each(['code.ts', 'new.ts'])('is none if %s was changed since', async (file) => {
    const { root, write } = open();
    write({ [file]: '2' });
    expect(await commitOf(root)).toBeUndefined();
  });
});

test('code outside of a repository is of no commit', async () => {
  expect(await commitOf(mkdtempSync(join(tmpdir(), 'folder-')))).toBeUndefined();
});
