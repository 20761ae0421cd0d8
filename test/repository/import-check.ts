import { globSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';

/**
 * Which imports the files of each folder may have beside their own folder's: folders, packages and modules of Node.js; a
 * `*` at the end stands for anything. The longest folder that holds a file decides.
 */
export type Layers = Readonly<Record<string, readonly string[]>>;

/**
 * Says of each import below `directory` that the layers do not allow what is wrong with it. Imports of types count as all
 * others do, which is why the files are read as text: tools that compile them drop those imports.
 */
export const findForbiddenImports = (directory: string, layers: Layers): string[] => {
  const roots = [...new Set(Object.keys(layers).map((folder) => folder.split('/')[0] as string))];
  const files = roots.flatMap((root) =>
    globSync(`${root}/**/*.{ts,mjs}`, { cwd: directory, exclude: (path) => path.includes('node_modules') }),
  );
  return files.toSorted().flatMap((file) => {
    const folder = longestFolderOf(file, Object.keys(layers));
    return folder === undefined ? [] : forbiddenImportsOf(directory, file, folder, layers[folder] ?? []);
  });
};

const forbiddenImportsOf = (directory: string, file: string, folder: string, allowed: readonly string[]): string[] =>
  importsIn(readFileSync(join(directory, file), 'utf8'))
    .map((specifier) => targetOf(file, specifier))
    .filter((target) => !isBelow(target, folder) && !allowed.some((each) => matches(target, each)))
    .map(
      (target) =>
        `${file} imports ${target}. ${folder} may import itself and: ${allowed.join(', ') || 'nothing else'}. ` +
        'Move what is needed to a layer below, or change test/repository/layers.ts.',
    );

/** The specifiers of all imports, those of types, re-exports and `import()` included. */
const importsIn = (text: string): string[] =>
  Array.from(
    text.matchAll(/^(?:import|export|\}) .*?\bfrom '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm),
    (found) => String(found[1] ?? found[2] ?? found[3]),
  );

/** A file of the project by its path, a module of Node.js by its name with `node:`, all else by the name of its package. */
const targetOf = (file: string, specifier: string): string => {
  if (specifier.startsWith('.')) return join(dirname(file), specifier);
  return isBuiltin(specifier) && !specifier.startsWith('node:') ? `node:${specifier}` : specifier;
};

const isBelow = (path: string, folder: string) => path.startsWith(`${folder}/`);

const matches = (target: string, allowed: string): boolean =>
  allowed.endsWith('*') ? target.startsWith(allowed.slice(0, -1)) : target === allowed || isBelow(target, allowed);

const longestFolderOf = (file: string, folders: readonly string[]): string | undefined =>
  folders.filter((folder) => isBelow(file, folder)).toSorted((one, other) => other.length - one.length)[0];
