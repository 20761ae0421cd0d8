import { importsBelow } from './imports.ts';

/**
 * Which imports the files of each folder may have beside their own folder's: folders, packages and modules of Node.js; a
 * `*` at the end stands for anything. The longest folder that holds a file decides, or the row of the file itself.
 */
export type Layers = Readonly<Record<string, readonly string[]>>;

/** Folders that are packages, with their names. */
export type Packages = Readonly<Record<string, string>>;

/**
 * Says of each import below `directory` that the layers do not allow what is wrong with it. Imports of types count as all
 * others do.
 */
export const findForbiddenImports = (directory: string, layers: Layers, packages: Packages = {}): string[] => {
  const roots = [...new Set(Object.keys(layers).map((folder) => folder.split('/')[0] as string))];
  return importsBelow(directory, roots).flatMap(({ from, to }) => {
    const inside = Object.keys(packages).find((each) => isBelow(to, each) && !isBelow(from, each));
    if (inside)
      return [
        `${from} imports ${to}. What ${inside} offers is imported as '${packages[inside]}' or '${packages[inside]}/…'.`,
      ];
    const folder = longestFolderOf(from, Object.keys(layers));
    if (folder === undefined || isBelow(to, folder)) return [];
    const allowed = layers[folder] ?? [];
    if (allowed.some((each) => matches(to, each))) return [];
    return [
      `${from} imports ${to}. ${folder} may import itself and: ${allowed.join(', ') || 'nothing else'}. ` +
        'Move what is needed to a layer below, or change test/repository/layers.ts.',
    ];
  });
};

const isBelow = (path: string, folder: string) => path.startsWith(`${folder}/`);

const matches = (target: string, allowed: string): boolean =>
  allowed.endsWith('*') ? target.startsWith(allowed.slice(0, -1)) : target === allowed || isBelow(target, allowed);

const longestFolderOf = (file: string, folders: readonly string[]): string | undefined =>
  folders
    .filter((folder) => file === folder || isBelow(file, folder))
    .toSorted((one, other) => other.length - one.length)[0];
