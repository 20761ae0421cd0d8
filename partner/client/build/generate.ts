import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  circuitSettings,
  eventTypes,
  knownMeasurements,
  type OperationsDocument,
  runtimeOperations,
} from './operations.ts';

/** The first line of each generated module. */
export const notice = 'Written by `npm ci` and by `npm run generate` from docs/openapi.json.';

const head = `// ${notice}\n\n`;

/** Returns the generated modules of the client by file name: the runtime data of the operations, and the types. */
export const generatedModules = async (openApiText: string): Promise<Readonly<Record<string, string>>> => {
  return { ...modulesAtRunTime(JSON.parse(openApiText)), 'types.ts': head + (await typesOf(openApiText)) };
};

const modulesAtRunTime = (document: OperationsDocument) => ({
  'circuit-settings.ts': `${head}export const circuitSettings = ${JSON.stringify(circuitSettings(document), null, 2)} as const;\n`,
  'event-types.ts': `${head}export const eventTypes = ${JSON.stringify(eventTypes(document), null, 2)} as const;\n`,
  'measurement-units.ts': `${head}export const measurementUnits = {\n${knownMeasurements(document)
    .map(({ name, unit, description }) => `  /** ${description} */\n  ${name}: ${JSON.stringify(unit)},\n`)
    .join('')}} as const;\n`,
  'operations.ts': `${head}export const operations = ${JSON.stringify(runtimeOperations(document), null, 2)} as const;\n`,
});

/** Imports the generator on demand, because an installation without development packages does not have it. */
const typesOf = async (openApiText: string): Promise<string> => {
  const { default: openapiTS, astToString } = await import('openapi-typescript');
  return astToString(await openapiTS(JSON.parse(openApiText)));
};

const canGenerateTypes = (): boolean => {
  try {
    return import.meta.resolve('openapi-typescript') !== '';
  } catch {
    return false;
  }
};

/** Writes the changed modules to a folder. Unchanged files keep their modification time, so that no build repeats its work. */
export const writeModules = (folder: string, modules: Readonly<Record<string, string>>): void => {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(modules)) {
    const file = join(folder, name);
    if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text);
  }
};

export const readOpenApiText = (): string =>
  readFileSync(join(import.meta.dirname, '../../../docs/openapi.json'), 'utf8');

/** Runs in `npm ci` and `npm run generate`. */
const main = async () => {
  const openApiText = readOpenApiText();
  const modules = canGenerateTypes() ? await generatedModules(openApiText) : modulesAtRunTime(JSON.parse(openApiText));
  writeModules(join(import.meta.dirname, '../generated'), modules);
  if (!('types.ts' in modules))
    console.warn('The types of the client were not written: openapi-typescript is missing, a development package.');
};

if (import.meta.main) await main();
