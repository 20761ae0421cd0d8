import { cruise, type ICruiseResult, type IDependency } from 'dependency-cruiser';

/**
 * Which imports the files of each folder may have beside their own folder's: folders, packages and modules of Node.js; a
 * `*` at the end stands for anything. The longest folder that holds a file decides.
 */
export type Layers = Readonly<Record<string, readonly string[]>>;

/**
 * Says of each import below `directory` that the layers do not allow what is wrong with it. Imports of types count as all
 * others do.
 */
export const findForbiddenImports = async (directory: string, layers: Layers): Promise<string[]> => {
  const roots = [...new Set(Object.keys(layers).map((folder) => folder.split('/')[0] as string))];
  const { output } = await cruise(roots, {
    baseDir: directory,
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)node_modules/' },
  });
  const { modules } = output as ICruiseResult;
  return modules.flatMap(({ source, dependencies }) => dependencies.flatMap((each) => faultOf(source, each, layers)));
};

const faultOf = (source: string, dependency: IDependency, layers: Layers): string[] => {
  const folder = longestFolderOf(source, Object.keys(layers));
  if (folder === undefined) return [];
  const target = targetOf(dependency);
  const allowed = layers[folder] ?? [];
  if (isBelow(target, folder) || allowed.some((each) => matches(target, each))) return [];
  return [
    `${source} imports ${target}. ${folder} may import itself and: ${allowed.join(', ') || 'nothing else'}. ` +
      'Move what is needed to a layer below, or change test/repository/layers.ts.',
  ];
};

/** A file of the project by its path, all else by the name that the import gives it. */
const targetOf = ({ module, resolved, coreModule, couldNotResolve }: IDependency): string => {
  if (coreModule) return module.startsWith('node:') ? module : `node:${module}`;
  return couldNotResolve || resolved.includes('node_modules') || !module.startsWith('.') ? module : resolved;
};

const isBelow = (path: string, folder: string) => path.startsWith(`${folder}/`);

const matches = (target: string, allowed: string): boolean =>
  allowed.endsWith('*') ? target.startsWith(allowed.slice(0, -1)) : target === allowed || isBelow(target, allowed);

const longestFolderOf = (file: string, folders: readonly string[]): string | undefined =>
  folders.filter((folder) => isBelow(file, folder)).toSorted((one, other) => other.length - one.length)[0];
