import { globSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';

/** An import of a file: a file of the project by its path, a module of Node.js with `node:`, all else by its package. */
export type Import = { readonly from: string; readonly to: string };

/**
 * Lists the imports of all files below some folders, those of types, re-exports and `import()` included. The files are read
 * as text: tools that compile them drop imports of types.
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
