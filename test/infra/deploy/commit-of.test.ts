import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { commitOf } from '../../../infra/deploy/synthesize.ts';

let root: string;
const git = (...options: string[]) =>
  execFileSync('git', ['-c', 'user.name=test', '-c', 'user.email=test@example.com', ...options], {
    cwd: root,
    encoding: 'utf8',
  }).trim();

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'repository-'));
  mkdirSync(join(root, 'config'));
  for (const file of ['code.ts', 'config/prod.json']) writeFileSync(join(root, file), '1');
  git('init', '--quiet');
  git('add', '.');
  git('commit', '--quiet', '--message', 'Begin');
});

test('code is of the commit that is checked out, whatever its configuration', async () => {
  writeFileSync(join(root, 'config/prod.json'), '2');
  expect(await commitOf(root)).toBe(git('rev-parse', 'HEAD'));
});

test.each(['code.ts', 'new.ts'])('code with a change in %s is of no commit', async (file) => {
  writeFileSync(join(root, file), '2');
  expect(await commitOf(root)).toBeUndefined();
});

test('code outside of a repository is of no commit', async () => {
  expect(await commitOf(mkdtempSync(join(tmpdir(), 'folder-')))).toBeUndefined();
});
