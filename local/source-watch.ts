import { watch } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

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
export const watchSources = ({ root, folders, files, react, fail }: Options): void => {
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
