import { type SpawnOptions, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { UserFacingError } from 'serve-stack';
import { apartFromTerminal, endWithThisProcess, stopChild } from 'serve-stack/host';

export const root = join(import.meta.dirname, '..');

/** Holds the hash of a folder's inputs. It is written last, so an interrupted build leaves no such file. */
const inputsFile = 'inputs.sha256';

/**
 * Builds a folder unless the hash of its inputs is unchanged. `build` writes to a temporary sibling, which then replaces the
 * folder, so no process reads a partial result, even if several build at the same time.
 */
export const buildIfStale = async (
  folder: string,
  hash: string,
  build: (output: string) => Promise<void>,
): Promise<void> => {
  const madeFrom = join(folder, inputsFile);
  if (existsSync(madeFrom) && readFileSync(madeFrom, 'utf8') === hash) return;
  mkdirSync(dirname(folder), { recursive: true });
  const output = mkdtempSync(`${folder}-`);
  try {
    await build(output);
    writeFileSync(join(output, inputsFile), hash);
    swapIn(output, folder);
  } finally {
    rmSync(output, { recursive: true, force: true });
  }
};

const swapIn = (output: string, folder: string): void => {
  rmSync(folder, { recursive: true, force: true });
  try {
    renameSync(output, folder);
  } catch (error) {
    // Another process has swapped in its folder since `rmSync`.
    if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error;
    swapIn(output, folder);
  }
};

/**
 * Returns a SHA-256 over the names and contents of the matching files. Patterns are relative to `root`. `node_modules` is left
 * out, because `package-lock.json` identifies its content.
 */
export const hashOfFiles = (patterns: readonly string[]): string => {
  const hash = createHash('sha256');
  const files = globSync([...patterns], {
    cwd: root,
    withFileTypes: true,
    exclude: ({ name }) => name === 'node_modules',
  }).filter((entry) => entry.isFile());
  for (const file of files.map(({ parentPath, name }) => relative(root, join(parentPath, name))).sort())
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(join(root, file)))
      .update('\0');
  return hash.digest('hex');
};

type Options = Pick<SpawnOptions, 'cwd' | 'env' | 'signal'> & {
  /** Runs the program at low priority. */
  readonly isInBackground?: boolean;
};

/** Runs a program until it exits; the signal and the end of this process stop it. Throws its output if it fails. */
export const runProgram = async (
  name: string,
  command: string,
  args: readonly string[],
  { signal, isInBackground = false, ...options }: Options,
): Promise<void> => {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'], ...apartFromTerminal });
  if (isInBackground && child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  endWithThisProcess(child);
  signal?.addEventListener('abort', () => void stopChild(child), { once: true });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  const [exitCode] = await once(child, 'close');
  if (exitCode !== 0)
    throw new UserFacingError(`${name} failed with exit code ${exitCode}. It said:\n${output.trim()}`);
};
