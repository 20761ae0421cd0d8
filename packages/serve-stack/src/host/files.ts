import {
  accessSync,
  appendFileSync,
  constants,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { UserFacingError } from '../errors.ts';

/**
 * Writes a temporary file and renames it into place, so that a reader finds a complete file at any time, also after a crash.
 */
export const replaceFile = (file: string, content: string, mode = 0o644): void => {
  const beside = `${file}.new`;
  // The mode applies only when a file is created.
  rmSync(beside, { force: true });
  try {
    writeFileSync(beside, content, { mode });
    renameSync(beside, file);
  } catch (error) {
    rmSync(beside, { force: true });
    // The error of a full disk does not name the file.
    throw Object.assign(error as Error, { path: file });
  }
};

/** Opens a log of lines. If it cannot be written, for example on a full disk, calls `print` once, and the run continues. */
export const openLog = (file: string, print: (sentence: string) => void) => {
  const attempt = attemptToWrite(file, print);
  return (line: string): void => attempt(() => appendFileSync(file, `${line}\n`));
};

/** Returns a function that writes a file without which the run can continue. If a write fails, calls `print` once. */
export const attemptToWrite = (file: string, print: (sentence: string) => void) => {
  let hasFailed = false;
  return (write: () => void): void => {
    try {
      write();
    } catch (error) {
      if (!hasFailed) print(`${file} cannot be written (${(error as Error).message}). The run goes on without it.`);
      hasFailed = true;
    }
  };
};

/**
 * Reads JSON that an earlier run has written. Returns `undefined` if it cannot be read, so that the caller creates it again.
 */
export const readJsonIfWhole = <Content>(file: string): Content | undefined => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
};

type DirectoryLock = {
  /** Stores the port, which the error of a refused run names. */
  readonly announcePort: (port: number) => void;
  readonly release: () => void;
};

/** The run that has the lock. A record left by a killed run is ignored. */
type Holder = { readonly pid: number; readonly port?: number };

/**
 * Locks the directory for this run; throws, before it changes anything there, if another run has it. The lock is one of
 * SQLite's, since Node.js has none: the system frees it when the process ends, however that happens, so nothing is left to
 * clean up, and no process with a reused pid is mistaken for the run.
 */
export const lockDirectory = (directory: string): DirectoryLock => {
  const holderFile = join(directory, 'run.json');
  const writeHolder = (holder: Holder) => replaceFile(holderFile, JSON.stringify(holder));
  const lock = openLock(directory);
  try {
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    throw isBusy(error)
      ? hasAnotherRun(directory, readJsonIfWhole<Holder>(holderFile))
      : isNoLock(directory, error as Error);
  }
  writeHolder({ pid: process.pid });
  return {
    announcePort: (port) => writeHolder({ pid: process.pid, port }),
    release: () => {
      rmSync(holderFile, { force: true });
      lock.close();
    },
  };
};

const openLock = (directory: string): DatabaseSync => {
  try {
    mkdirSync(directory, { recursive: true });
    accessSync(directory, constants.W_OK);
    return new DatabaseSync(lockFileIn(directory));
  } catch (error) {
    throw new UserFacingError(
      `A run keeps its files in ${directory}, which is no folder that it may write to (${(error as Error).message}). Correct that, or choose another directory.`,
      'directory',
    );
  }
};

/** SQLITE_BUSY */
const isBusy = (error: unknown): boolean => (error as { errcode?: number }).errcode === 5;

/**
 * Returns the error for a lock file that a disk fault or another program has damaged. No run holds it: SQLITE_BUSY would come
 * first.
 */
const isNoLock = (directory: string, { message }: Error) =>
  new UserFacingError(
    `${lockFileIn(directory)} is not the lock of a run (${message}). Delete it, or choose another directory.`,
    'directory',
  );

const lockFileIn = (directory: string) => join(directory, 'lock');

const hasAnotherRun = (directory: string, { pid, port }: Partial<Holder> = {}) =>
  new UserFacingError(
    `Another run has its files in ${directory}: ${pid === undefined ? 'a process' : `process ${pid}`}, ` +
      `${port === undefined ? 'which is still starting' : `on port ${port}`}. ` +
      'Stop that one, or choose another directory and port for this one.',
    'directory',
  );
