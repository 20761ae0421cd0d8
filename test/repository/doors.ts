import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Import, importsBelow } from './imports.ts';

/** What is counted of a tree, in the order in which it is printed: a number, and the names behind it. */
export type Doors = Readonly<Record<string, { readonly count: number; readonly names?: readonly string[] }>>;

/** Counts the doors of a tree: how many files there are, how long, and which have no more than one way in. */
export const countDoors = (directory: string, tracked: readonly string[]): Doors => {
  const linesOf = (file: string) => readFileSync(join(directory, file), 'utf8').split('\n').length - 1;
  const written = tracked.filter((file) => file.endsWith('.ts') && !file.includes('/generated/'));
  const source = written.filter((file) => !isTest(file));
  const sourceLines = sum(source.map(linesOf));
  const imports = importsBelow(directory, [...new Set(tracked.filter(isCode).map((file) => file.split('/')[0] ?? ''))]);
  const importers = importersOf(imports.filter(({ from }) => !isTest(from)));
  const withOneImporter = source.filter((file) => importers.get(file)?.size === 1);
  const named = (names: readonly string[]) => ({ count: names.length, names });
  return {
    'tracked files': { count: tracked.length },
    'code files': { count: tracked.filter(isCode).length },
    'lines of TypeScript written by hand': { count: sum(written.map(linesOf)) },
    'mean lines of a source file': { count: Math.round((10 * sourceLines) / Math.max(1, source.length)) / 10 },
    'source files over 300 lines': named(source.filter((file) => linesOf(file) > 300)),
    'source files with one importer': { count: withOneImporter.length },
    'files under 60 lines that one file of their folder imports, and nobody else': named(
      withOneImporter
        .map((file) => ({ file, importer: [...(importers.get(file) ?? [])].join() }))
        .filter(({ file, importer }) => dirname(importer) === dirname(file) && linesOf(file) < 60)
        .map(({ file, importer }) => `${file} (${basename(importer)})`),
    ),
    'folders of one or two files': named(smallFolders(tracked)),
    'imports of inner modules of serve-stack': namedByCount(innerImports(directory, tracked, imports)),
    'pages of decisions': { count: tracked.filter((file) => /^docs\/decisions\/\d+-.*\.md$/.test(file)).length },
  };
};

const isTest = (file: string) => /(^|\/)test\//.test(file);

const isCode = (file: string) => /\.(ts|mjs|js)$/.test(file);

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);

const importersOf = (imports: readonly Import[]): ReadonlyMap<string, ReadonlySet<string>> => {
  const importers = new Map<string, Set<string>>();
  for (const { from, to } of imports) importers.set(to, (importers.get(to) ?? new Set()).add(from));
  return importers;
};

/** The folders of code in which no more than two files and folders stand. */
const smallFolders = (tracked: readonly string[]): string[] => {
  const members = new Map<string, Set<string>>();
  for (const file of tracked.filter((each) => each.includes('/')))
    for (let path = file; path.includes('/'); path = dirname(path))
      members.set(dirname(path), (members.get(dirname(path)) ?? new Set()).add(path));
  return [...members]
    .filter(([folder, { size }]) => size <= 2 && tracked.some((file) => isCode(file) && file.startsWith(`${folder}/`)))
    .map(([folder]) => folder)
    .toSorted();
};

/** The imports by path of the package's modules, but for those of its own files and tests. Its name is its public way in. */
const innerImports = (directory: string, tracked: readonly string[], imports: readonly Import[]): Import[] => {
  const isPackage = (file: string) =>
    /(^|\/)package\.json$/.test(file) && JSON.parse(readFileSync(join(directory, file), 'utf8')).name === 'serve-stack';
  const folders = tracked.filter(isPackage).map((file) => `${dirname(file)}/`);
  return imports.filter(({ from, to }) =>
    folders.some((folder) => to.startsWith(folder) && !from.startsWith(folder) && !from.startsWith(`test/${folder}`)),
  );
};

const namedByCount = (imports: readonly Import[]) => ({
  count: imports.length,
  names: Object.entries(Object.groupBy(imports, ({ from }) => from)).map(
    ([from, ofFile = []]) => `${from}: ${ofFile.length}`,
  ),
});

export const printedDoors = (doors: Doors): string =>
  Object.entries(doors)
    .flatMap(([title, { count, names = [] }]) => [
      `${String(count).padStart(8)}  ${title}`,
      ...names.map((name) => `${' '.repeat(12)}${name}`),
    ])
    .join('\n');

/** `npm run doors`: prints the doors of this repository, and fails nothing. */
if (import.meta.main) {
  const tracked = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).split('\n');
  console.log(printedDoors(countDoors('.', tracked.filter(existsSync))));
}
