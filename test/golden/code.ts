import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { consumerNames, jobNames } from '../../lambdas/api/background-functions.ts';
import { handlerFileOf, operationIds } from '../../lambdas/api/endpoints/endpoints.ts';
import { handler as watchKeyExpiry } from '../../lambdas/jobs/watchKeyExpiry.ts';
import { handlerOf } from '../support/call.ts';
import { type Code, consumersOfToday } from '../support/stage/stage.ts';
import { folderOf } from './sets.ts';

const root = join(import.meta.dirname, '../..');

/** Returns all functions of this checkout. */
export const codeOfToday = async (): Promise<Code> => {
  const ofRequests = operationIds.map(async (operationId) => [operationId, await handlerOf(operationId)]);
  return { ...consumersOfToday, watchKeyExpiry, ...Object.fromEntries(await Promise.all(ofRequests)) };
};

const codeFile = 'code.mjs.gz';

/** Bundles all functions of this checkout with their imports into one module, except the clients of AWS. */
export const bundleOfToday = async (minify = false): Promise<string> => {
  const ofRequests = operationIds.map((id) => `export { ${id} } from './${handlerFileOf(id)}';`);
  const ofOthers = [
    ...jobNames.map((name) => [name, `jobs/${name}`]),
    ...consumerNames.map((name) => [name, `consumers/${name}`]),
  ].map(([name, file]) => `export { handler as ${name} } from './lambdas/${file}.ts';`);
  const { outputFiles } = await build({
    stdin: { contents: [...ofRequests, ...ofOthers].join('\n'), resolveDir: root },
    bundle: true,
    minify,
    write: false,
    legalComments: 'none',
    platform: 'node',
    format: 'esm',
    target: 'node24',
    mainFields: ['module', 'main'],
    external: ['@aws-sdk/*', '@smithy/*'],
  });
  return outputFiles[0]?.text ?? '';
};

export const keepCode = async (version: string): Promise<void> =>
  writeFileSync(join(folderOf(version), codeFile), gzipSync(await bundleOfToday(true), { level: 9 }));

/** Returns the code of a version's functions. */
export const readCode = (version: string): string =>
  gunzipSync(readFileSync(join(folderOf(version), codeFile))).toString();

let loaded = 0;

/** Loads the functions from such code. */
export const loadCode = async (text: string): Promise<Code> => {
  const folder = join(root, 'node_modules/.cache/golden');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${process.pid}-${loaded++}.mjs`);
  writeFileSync(file, text);
  return import(/* @vite-ignore */ pathToFileURL(file).href);
};
