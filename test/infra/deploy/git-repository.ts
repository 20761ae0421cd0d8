import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A fresh clone was made by it, but a checkout may have come another way. */
export const hasGit = spawnSync('git', ['--version']).status === 0;

/** A repository of a few files, with one commit. */
export const createRepository = (files: Readonly<Record<string, string>>) => {
  const root = mkdtempSync(join(tmpdir(), 'repository-'));
  const git = (...options: string[]) =>
    execFileSync('git', ['-c', 'user.name=test', '-c', 'user.email=test@example.com', ...options], {
      cwd: root,
      encoding: 'utf8',
    }).trim();
  const write = (written: Readonly<Record<string, string>>) => {
    for (const [file, text] of Object.entries(written)) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), text);
    }
  };
  /** Gives the commit's id. */
  const commit = (changed: Readonly<Record<string, string>>): string => {
    write(changed);
    git('add', '.');
    git('commit', '--quiet', '--message', 'Change');
    return git('rev-parse', 'HEAD');
  };
  git('init', '--quiet');
  return { root, git, write, commit, first: commit(files) };
};
