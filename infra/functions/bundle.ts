import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Metafile, type OutputFile, type Plugin } from 'esbuild';
import { type ConsumerName, consumerNames, type JobName, jobNames } from '../../lambdas/api/background-functions.ts';
import { handlerFileOf, type OperationId, operationIds } from '../../lambdas/api/endpoints/endpoints.ts';
import { bundleName } from '../../lambdas/api/log-events/stack-frames.ts';
import type { SandboxFunctionName } from '../../lambdas/api/sandbox.ts';

/** A handler with everything that it imports, in one file. */
export type Bundle = {
  /** A hash of the code, which each frame of its stack traces contains. */
  readonly id: string;
  /** The folder with the function's code: `index.mjs`, and nothing else. */
  readonly folder: string;
  /** The file that maps a frame to the source. It is not part of the code, whose size adds to the start time. */
  readonly sourceMap: string;
};

/** The bundle of each operation's, each job's and each consumer's handler, and of the sandbox, which few stages use. */
export type Bundles = Readonly<Record<OperationId | JobName | ConsumerName | SandboxFunctionName, Bundle>>;

const root = join(import.meta.dirname, '../..');

/** Contains the code of each function in `lambdas`, and the source maps of this code, and no others, in `source-maps`. */
export const buildFolder = join(root, '.build');

const standIns = './lambdas/runtime/sdk-stand-ins.ts';

const entryPoints: Readonly<Record<string, string>> = Object.fromEntries([
  ...operationIds.map((id) => [id, `${handlerFileOf(id)}?${id}`]),
  ...jobNames.map((name) => [name, `lambdas/jobs/${name}.ts`]),
  ...consumerNames.map((name) => [name, `lambdas/consumers/${name}.ts`]),
  ['simulateHomes' satisfies SandboxFunctionName, 'lambdas/sandbox/simulateHomes.ts'],
]);

/** A debuggable bundle is not minified, and contains a source map with the lines of this checkout. */
type BundleOptions = { readonly isDebuggable?: boolean };

/** Bundles the handlers of all functions. */
export const bundleHandlers = async (
  outputFolder = buildFolder,
  options: BundleOptions = {},
): Promise<{ bundles: Bundles; metafile: Metafile }> => {
  const { bundles, metafile } = await bundle(entryPoints, outputFolder, options);
  return { bundles: bundles as Bundles, metafile };
};

/**
 * Bundles modules of the repository, by name, in one run. In `circuits.ts?getDhwCircuit`, the part after `?` is the export that
 * becomes the bundle's `handler`. A bundle needs no package that the Lambda runtime happens to ship. Equal code gives equal
 * bytes, so an unchanged function is not deployed again.
 */
export const bundle = async (
  modules: Readonly<Record<string, string>>,
  outputFolder: string,
  { isDebuggable = false }: BundleOptions = {},
): Promise<{ bundles: Readonly<Record<string, Bundle>>; metafile: Metafile }> => {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: Object.entries(modules).map(([name, file]) => ({ in: file, out: name })),
    // esbuild writes nothing here. The source paths of a map are relative to this folder.
    outdir: root,
    write: false,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    minify: !isDebuggable,
    sourcemap: isDebuggable ? 'both' : 'external',
    sourcesContent: isDebuggable,
    ...(isDebuggable && { sourceRoot: `${pathToFileURL(root)}/` }),
    legalComments: 'none',
    platform: 'node',
    format: 'esm',
    target: 'node24',
    // Prefers the packages' ES modules, which can be tree-shaken, to the CommonJS that esbuild prefers for Node.js.
    mainFields: ['module', 'main'],
    alias: {
      '@aws-sdk/credential-provider-node': standIns,
      '@smithy/core/event-streams': standIns,
    },
    plugins: [exportAsHandler, withoutPaginators, onlyVersions, withoutWords],
    metafile: true,
    logLevel: 'warning',
  });
  const outputs = new Map(outputFiles.map((file) => [file.path, file]));
  const bundles = Object.keys(modules).map((name) => {
    const codeFile = join(root, `${name}.mjs`);
    const [code, map] = [outputs.get(codeFile), outputs.get(`${codeFile}.map`)] as [OutputFile, OutputFile];
    return [name, publish(outputFolder, name, { code, map, isDebuggable })] as const;
  });
  removeOthers(join(outputFolder, 'source-maps'), new Set(bundles.map(([, { sourceMap }]) => sourceMap)));
  return { bundles: Object.fromEntries(bundles), metafile };
};

/** Replaces each entry point that has a `?` with a module that exports only the named export, as `handler`. */
const exportAsHandler: Plugin = {
  name: 'export-as-handler',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /\?\w+$/ }, ({ path }) => {
      const [file = '', name] = path.split('?');
      return { path: join(root, file), suffix: `?${name}` };
    });
    onLoad({ filter: /\/lambdas\/handlers\// }, ({ path, suffix }) => {
      if (suffix === '') return undefined;
      return {
        contents: `export { ${suffix.slice(1)} as handler } from './${basename(path)}';`,
        resolveDir: dirname(path),
      };
    });
  },
};

/**
 * Leaves out the paginators of the document client, and the commands that only they use: no function imports them, but their
 * package does not say `"sideEffects": false`, as the other packages of the SDK do.
 */
const withoutPaginators: Plugin = {
  name: 'without-paginators',
  setup: ({ onResolve }) => {
    onResolve({ filter: /\/(Query|Scan)Paginator$/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, `${path}.js`),
      sideEffects: false,
    }));
  },
};

/** Keeps only the version of a client's `package.json`, which the client sends to AWS: the whole file has 2 kB. */
const onlyVersions: Plugin = {
  name: 'only-versions',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/]@aws-sdk[\\/]client-[^\\/]+[\\/]package\.json$/ }, ({ path }) => {
      const { version } = JSON.parse(readFileSync(path, 'utf8'));
      return { contents: JSON.stringify({ version }), loader: 'json' };
    });
  },
};

/** Leaves out the titles and the descriptions of operations, which only the API document has. Lines keep their numbers. */
const withoutWords: Plugin = {
  name: 'without-words',
  setup: ({ onLoad }) => {
    onLoad({ filter: /[\\/]lambdas[\\/]api[\\/]endpoints[\\/][\w-]*endpoints\.ts$/ }, ({ path }) => {
      const words = /\b(?:summary|description):\s+(['"`]).*\1,$/gm;
      const contents = readFileSync(path, 'utf8').replaceAll(words, (found) => found.replaceAll(/[^\n]/g, ''));
      return { contents, loader: 'ts' };
    });
  },
};

type Output = { readonly code: OutputFile; readonly map: OutputFile; readonly isDebuggable: boolean };

const publish = (outputFolder: string, name: string, { code, map, isDebuggable }: Output): Bundle => {
  const id = createHash('sha256').update(code.contents).digest('hex').slice(0, 12);
  const folder = join(outputFolder, 'lambdas', name);
  const sourceMap = join(outputFolder, 'source-maps', `${id}.map`);
  const staging = join(outputFolder, `${name}.${process.pid}`);
  // V8 shows this name in frames. A debugger looks for the file by its own name.
  const sourceUrl = isDebuggable ? '' : `//# sourceURL=${bundleName(id)}\n`;
  writeWhole(join(folder, 'index.mjs'), code.text + sourceUrl, staging);
  writeWhole(sourceMap, map.text, staging);
  return { id, folder, sourceMap };
};

/** Writes a file under another name and renames it, so that a concurrent synth never reads a part of it. */
const writeWhole = (file: string, text: string, staging: string): void => {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(staging, text);
  renameSync(staging, file);
};

/** Removes the maps of earlier code. The maps of deployed code are kept where they were deployed to. */
const removeOthers = (folder: string, keep: ReadonlySet<string>): void => {
  for (const name of readdirSync(folder))
    if (name.endsWith('.map') && !keep.has(join(folder, name))) rmSync(join(folder, name), { force: true });
};
