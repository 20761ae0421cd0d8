import { globSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';

/**
 * The allowed imports of each folder, in addition to its own files: folders, packages and modules of Node.js; a `*` at the end
 * matches anything. The longest matching folder decides, or the entry of the file itself.
 */
export type Layers = Readonly<Record<string, readonly string[]>>;

/** Folders that are packages, by their path, with their names. */
export type Packages = Readonly<Record<string, string>>;

/** Returns a message for each import below `directory` that the layers do not allow. Imports of types count as all others. */
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

/**
 * Returns each import that runs against another one: within a folder, files and subfolders have one order, and imports run in
 * one direction. Imports of types count as all others.
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

/** Returns the imports between two members of the folder that reach each other. */
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

/** An import of a file: a project file by its path, a module of Node.js with `node:`, anything else by its package. */
type Import = { readonly from: string; readonly to: string };

/**
 * Returns the imports of all files below some folders, including type imports, re-exports and `import()`. Reads the files as
 * text, since compilers drop type imports.
 */
export const importsBelow = (directory: string, roots: readonly string[]): Import[] =>
  roots
    .flatMap((root) =>
      globSync(`${root}/**/*.{ts,mjs}`, { cwd: directory, exclude: (path) => path.includes('node_modules') }),
    )
    .toSorted()
    .flatMap((from) =>
      specifiersIn(readFileSync(join(directory, from), 'utf8')).map((name) => ({ from, to: targetOf(from, name) })),
    );

const specifiersIn = (text: string): string[] =>
  Array.from(
    text.matchAll(/^(?:import|export|\}) .*?\bfrom '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm),
    (found) => String(found[1] ?? found[2] ?? found[3]),
  );

const targetOf = (file: string, specifier: string): string => {
  if (specifier.startsWith('.')) return join(dirname(file), specifier);
  return isBuiltin(specifier) && !specifier.startsWith('node:') ? `node:${specifier}` : specifier;
};
