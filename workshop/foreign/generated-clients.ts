import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { programsDirectory, runShell, runTool } from './tools.ts';

const directory = join(programsDirectory, 'generated');
const oneOwner = join(directory, 'one-owner');

/** The clients by the names of the programs that use them. */
export const clientNames = ['openapi-fetch', 'hey-api', 'orval'] as const;

/** Generates all clients again from the current API document; orval's client calls the base URL. */
export const generateClients = async (documentFile: string, baseUrl: string): Promise<void> => {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory);
  await runTool('openapi-typescript', [documentFile, '--output', join(directory, 'openapi-typescript.ts')]);
  await runTool('openapi-ts', ['--input', documentFile, '--output', join(directory, 'hey-api'), '--no-log-file']);
  const config = join(directory, 'orval.config.cjs');
  const output = { target: join(directory, 'orval.ts'), client: 'fetch', baseUrl };
  writeFileSync(config, `module.exports = ${JSON.stringify({ api: { input: documentFile, output } })}`);
  await runTool('orval', ['--config', config]);
};

/** The clients for which the guide shows how to name the owner once, in the guide's order. */
export const namesInGuide = ['openapi-fetch', 'hey-api'] as const;

/** Runs the guide's commands of generators, and writes the guide's programs next to the generated code. */
export const generateAsGuided = async (documentFile: string): Promise<void> => {
  mkdirSync(oneOwner);
  cpSync(documentFile, join(oneOwner, 'openapi.json'));
  const [, section = ''] = readFileSync('partner/guide/client.md', 'utf8').split('## With a generator');
  const [commands = '', ...programs] = [...section.matchAll(/```(?:ts)?\n(.*?)```/gs)].map(([, block = '']) => block);
  await runShell(commands, oneOwner);
  for (const [index, name] of namesInGuide.entries())
    writeFileSync(join(oneOwner, `${name}.ts`), programs[index] ?? '');
};
