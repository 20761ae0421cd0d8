import { type Import, importsBelow } from './imports.ts';

/**
 * Lists each import that runs against another one: within a folder, files and subfolders stand in one order, in which imports
 * run one way. Imports of types count as all others do.
 */
export const findBackArrows = (directory: string, roots: readonly string[]): string[] => {
  const imports = importsBelow(directory, roots);
  const folders = new Set(imports.flatMap(({ from }) => foldersAbove(from)));
  return [...folders].flatMap((folder) => backArrowsIn(folder, imports)).toSorted();
};

const foldersAbove = (file: string): string[] => {
  const parts = file.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
};

/** Those between two members of the folder of which each reaches the other. */
const backArrowsIn = (folder: string, imports: readonly Import[]): string[] => {
  const memberOf = (file: string) =>
    file.startsWith(`${folder}/`) ? file.slice(folder.length + 1).split('/')[0] : undefined;
  const arrows = imports
    .map(({ from, to }) => ({ from, to, source: memberOf(from), target: memberOf(to) }))
    .filter(({ source, target }) => source !== undefined && target !== undefined && source !== target);
  const reachedFrom = (start: string | undefined) => {
    const reached = new Set([start]);
    for (const member of reached) for (const { source, target } of arrows) if (source === member) reached.add(target);
    return reached;
  };
  return arrows
    .filter(({ source, target }) => reachedFrom(target).has(source))
    .map(({ from, to }) => `${from} imports ${to}, and ${folder} has a way back.`);
};
