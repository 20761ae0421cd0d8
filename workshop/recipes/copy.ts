import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** A change of a file: text before or after an anchor, or in its place. */
export type Edit = { readonly file: string; readonly anchor: string } & (
  | { readonly before: string }
  | { readonly after: string }
  | { readonly instead: string }
);

/** The exit code and the output of a command. */
export type Ended = { readonly exitCode: number | null; readonly output: string };

/** A copy of the repository in which recipes are followed. */
export type Copy = {
  readonly read: (file: string) => string;
  readonly edit: (edits: readonly Edit[]) => void;
  /** Runs a script of package.json. */
  readonly script: (name: string) => Ended;
  /** Runs a program of the copy with Node.js. */
  readonly node: (file: string, ...args: readonly string[]) => Ended;
  /** Returns the files that differ from the last commit, sorted. */
  readonly changedFiles: () => string[];
  readonly commit: () => void;
  /** Discards everything since the last commit. */
  readonly discard: () => void;
};

/** Copies the files of the repository that git knows, to a temporary folder. Packages are linked, not copied. */
export const openCopy = (): Copy => {
  const folder = mkdtempSync(join(tmpdir(), 'recipes-'));
  const run = (command: string, args: readonly string[], cwd = folder): Ended => {
    const env = { ...process.env, NO_COLOR: '1', VITEST: undefined, VITEST_MODE: undefined, NODE_ENV: undefined };
    const { status, stdout, stderr, error } = spawnSync(command, args, {
      cwd,
      env,
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
    });
    return { exitCode: status, output: error ? String(error) : stdout + stderr };
  };
  const git = (...args: readonly string[]): string => {
    const { exitCode, output } = run('git', [
      '-c',
      'user.name=recipes',
      '-c',
      'user.email=recipes@example.com',
      ...args,
    ]);
    if (exitCode !== 0) throw new Error(`git ${args.join(' ')} failed: ${output}`);
    return output;
  };

  const known = run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], root).output.split('\0');
  for (const file of known.filter((each) => each !== '' && existsSync(join(root, each))))
    cpSync(join(root, file), join(folder, file));
  linkPackages(folder);
  git('init', '--quiet');
  const commit = () => {
    git('add', '--all');
    git('commit', '--quiet', '--allow-empty', '--message', 'state');
  };
  commit();

  return {
    read: (file) => readFileSync(join(folder, file), 'utf8'),
    edit: (edits) => {
      for (const edit of edits) writeFileSync(join(folder, edit.file), edited(folder, edit));
    },
    script: (name) => run('npm', ['run', '--silent', name]),
    node: (file, ...args) => run(process.execPath, [file, ...args]),
    changedFiles: () => {
      git('add', '--all');
      return git('diff', '--cached', '--name-only').split('\n').filter(Boolean).sort();
    },
    commit,
    discard: () => {
      git('add', '--all');
      git('reset', '--quiet', '--hard');
    },
  };
};

/** Links the installed packages, but the workspaces of the copy instead of the workspaces of the repository. */
const linkPackages = (folder: string): void => {
  const workspaces: readonly string[] = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).workspaces;
  const nameOf = (workspace: string): string =>
    JSON.parse(readFileSync(join(root, workspace, 'package.json'), 'utf8')).name;
  mkdirSync(join(folder, 'node_modules'));
  const left = ['.cache', ...workspaces.map(nameOf)];
  for (const name of readdirSync(join(root, 'node_modules')).filter((each) => !left.includes(each)))
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  for (const workspace of workspaces) {
    symlinkSync(join(folder, workspace), join(folder, 'node_modules', nameOf(workspace)));
    const own = join(workspace, 'node_modules');
    if (existsSync(join(root, own))) symlinkSync(join(root, own), join(folder, own));
  }
};

const edited = (folder: string, { file, anchor, ...change }: Edit): string => {
  const path = join(folder, file);
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const parts = text.split(anchor);
  if (parts.length !== 2)
    throw new Error(
      `${file} has the text ${JSON.stringify(anchor)} ${parts.length - 1} times, expected once. Give this edit in workshop/recipes/ another anchor.`,
    );
  const [begin, end] = parts;
  if ('instead' in change) return `${begin}${change.instead}${end}`;
  return 'before' in change ? `${begin}${change.before}${anchor}${end}` : `${begin}${anchor}${change.after}${end}`;
};
