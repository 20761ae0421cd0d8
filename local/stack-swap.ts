import { watch } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { root } from './build.ts';
import { inOneLine } from './command-line.ts';
import type { LocalService } from './service.ts';
import { hashOfInputs, inputs } from './synthesis.ts';

/**
 * Swaps the stack whenever its sources change, and prints the result in one line. `servedHash` is the hash of the sources
 * that are served at first.
 */
export const swapOnChange = (
  { swapStack }: Pick<LocalService, 'swapStack'>,
  servedHash: string,
  print: (line: string) => void,
): void => {
  let triedHash = servedHash;
  const react = async (changed: readonly string[]) => {
    try {
      const hash = hashOfInputs();
      // A file was saved without changes.
      if (hash === triedHash) return;
      triedHash = hash;
      const startedMs = performance.now();
      await swapStack();
      const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
      print(`Swapped after ${seconds} s: ${named(changed)} served now.`);
    } catch (error) {
      print(`Not swapped, still serving the previous version: ${inOneLine(error)}`);
    }
  };
  watchSources({
    root,
    ...inputs,
    react,
    fail: (error) => print(`Stopped watching the sources: ${inOneLine(error)}`),
  });
};

const named = ([first = '', ...others]: readonly string[]): string =>
  others.length === 0 ? `${first} is` : `${first} and ${others.length} more are`;

type Options = {
  readonly root: string;
  /** Watched recursively. */
  readonly folders: readonly string[];
  readonly files: readonly string[];
  /** Called with the paths of the changed files, relative to `root`; one call ends before the next begins. */
  readonly react: (changed: readonly string[]) => Promise<void>;
  readonly fail: (error: Error) => void;
};

/** Collects changes this long: an editor writes a file in several steps, a checkout writes many files. */
const quietMs = 100;

/** Reacts to changes of TypeScript and JSON files until the process ends. */
const watchSources = ({ root, folders, files, react, fail }: Options): void => {
  const changed = new Set<string>();
  let isReacting = false;

  const reactToAll = async () => {
    isReacting = true;
    while (changed.size > 0) {
      await wait(quietMs);
      const paths = [...changed].sort();
      changed.clear();
      await react(paths);
    }
    isReacting = false;
  };
  const notice = (path: string) => {
    if (!/\.(ts|json)$/.test(path)) return;
    changed.add(relative(root, path));
    if (!isReacting) reactToAll().catch(fail);
  };

  const watchers = [
    ...folders.map((folder) => watch(folder, { recursive: true }, (_, name) => notice(join(folder, name ?? '')))),
    // Watches the folder, because a watcher of the file itself misses its replacement.
    ...files.map((file) =>
      watch(dirname(file), (_, name) => {
        if (name !== null && join(dirname(file), name) === file) notice(file);
      }),
    ),
  ];
  for (const watcher of watchers) watcher.on('error', fail);
};
