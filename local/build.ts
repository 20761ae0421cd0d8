import { type SpawnOptions, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { UserFacingError } from 'serve-stack';
import { apartFromTerminal, endWithThisProcess, stopChild } from 'serve-stack/host';

export const root = join(import.meta.dirname, '..');

/** Names the inputs that a folder was made from. The file is written last, so a build that was broken off leaves none. */
const inputsFile = 'inputs.sha256';

/**
 * Builds a folder unless its inputs, which the hash tells, are unchanged. `build` is given a folder beside it, which is
 * swapped in, so that nobody ever reads half of a result, even if others build at the same time.
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
    // Somebody else was faster.
    if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error;
    swapIn(output, folder);
  }
};

/**
 * Tells one state of the files from another, by names and contents. The patterns begin at `root`. Installed packages do not
 * count, because `package-lock.json` names them.
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
  /** Lets it have of the machine what others leave. */
  readonly isInBackground?: boolean;
};

/** Runs a program until it ends; the signal and the end of this process stop it. Throws its output if it fails. */
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
