import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync, type Metafile } from 'esbuild';
import { type OperationId, operationIds } from '../../lambdas/api/endpoints/endpoints.ts';
import { type JobName, jobNames } from '../../lambdas/api/jobs.ts';

/** The folder of each operation's and each job's bundled handler, `index.mjs`. */
export type HandlerFolders = Readonly<Record<OperationId | JobName, string>>;

/** By the layer that holds their files. */
const handlers = { handlers: operationIds, jobs: jobNames };

const root = join(import.meta.dirname, '../..');

/**
 * Bundles all handlers in one go, each with everything that it imports: a function depends on nothing that the Lambda
 * runtime happens to ship. Equal sources give equal bytes, so an unchanged function is not deployed again.
 */
export const bundleHandlers = (
  outputFolder = join(root, '.build/lambdas'),
): { folders: HandlerFolders; metafile: Metafile } => {
  const stagingFolder = `${outputFolder}.${process.pid}`;
  const { metafile } = buildSync({
    absWorkingDir: root,
    entryPoints: Object.entries(handlers).flatMap(([layer, ids]) =>
      ids.map((id) => ({ in: `lambdas/${layer}/${id}.ts`, out: `${id}/index` })),
    ),
    outdir: stagingFolder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    minify: true,
    legalComments: 'none',
    platform: 'node',
    format: 'esm',
    target: 'node24',
    // The packages' ES modules, which can be tree-shaken, before the CommonJS that esbuild prefers for Node.js.
    mainFields: ['module', 'main'],
    alias: { '@aws-sdk/credential-provider-node': './lambdas/data/store/environment-credentials.ts' },
    metafile: true,
    logLevel: 'warning',
  });
  const folders = Object.values(handlers)
    .flat()
    .map((id) => [id, publish(stagingFolder, outputFolder, id)]);
  rmSync(stagingFolder, { recursive: true });
  return { folders: Object.fromEntries(folders), metafile };
};

/** Renames a bundle into its place, so that another synth at the same moment never reads half of one. */
const publish = (stagingFolder: string, outputFolder: string, id: string): string => {
  const folder = join(outputFolder, id);
  mkdirSync(folder, { recursive: true });
  renameSync(join(stagingFolder, id, 'index.mjs'), join(folder, 'index.mjs'));
  return folder;
};
