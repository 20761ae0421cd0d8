import { watch } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { root } from './build.ts';
import type { LocalService } from './service.ts';
import { hashOfInputs, inputs } from './synthesis.ts';

/**
 * Swaps the stack whenever its sources change, and says in one line what came of it. `servedHash` tells the state of the
 * sources that is served at first.
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
      // A file that was written again as it was.
      if (hash === triedHash) return;
      triedHash = hash;
      const startedMs = performance.now();
      await swapStack();
      const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
      print(`Swapped after ${seconds} s: ${named(changed)} served as of now.`);
    } catch (error) {
      print(`Not swapped, what was served before still is: ${inOneLine(error)}`);
    }
  };
  watchSources({
    root,
    ...inputs,
    react,
    fail: (error) => print(`Sources are watched no longer: ${inOneLine(error)}`),
  });
};

const named = ([first = '', ...others]: readonly string[]): string =>
  others.length === 0 ? `${first} is` : `${first} and ${others.length} more are`;

type Options = {
  readonly root: string;
  /** Watched with all that is in them. */
  readonly folders: readonly string[];
  readonly files: readonly string[];
  /** Told of the files that have changed, by their paths within `root`; one reaction ends before the next begins. */
  readonly react: (changed: readonly string[]) => Promise<void>;
  readonly fail: (error: Error) => void;
};

/** An editor writes a file in several steps, a checkout many files. */
const quietMs = 100;

/** Reacts to changes of TypeScript and JSON files, for as long as the process runs. */
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
    // A file that is replaced is another one: its folder tells of it.
    ...files.map((file) =>
      watch(dirname(file), (_, name) => {
        if (name !== null && join(dirname(file), name) === file) notice(file);
      }),
    ),
  ];
  for (const watcher of watchers) watcher.on('error', fail);
};

/** Finds in what tools print, at times in many lines, the place and the message of the first error. */
export const inOneLine = (error: unknown): string => {
  const text = error instanceof Error ? error.message : String(error);
  const [, message] = /(?:\[ERROR\]|\w*Error(?: \[\w+\])?:)\s*(.+)/.exec(text) ?? [];
  if (message === undefined) return text.trim().split('\n').at(-1) ?? '';
  const [, place] = /(?:file:\/\/)?([\w./-]+\.(?:ts|json):\d+(?::\d+)?)/.exec(text) ?? [];
  return [place, message].filter((part) => part !== undefined).join(': ');
};
