import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

type Parameter = { readonly name: string; readonly required: boolean };
type Response = { readonly $ref?: string; readonly content?: Readonly<Record<string, { readonly examples?: object }>> };
type Operation = {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly responses: Readonly<Record<string, Response>>;
};

type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly responses: Readonly<Record<string, Response>>;
    readonly schemas: { readonly KnownFeedEvent: { readonly discriminator: { readonly mapping: object } } };
  };
};

const head = '// Written by `npm ci` and by `npm run generate` from docs/openapi.json.\n\n';

/** The generated modules of the client, by file name: what it needs of the operations when it runs, and its types. */
export const generatedModules = async (openApiText: string): Promise<Readonly<Record<string, string>>> => {
  return { ...modulesAtRunTime(JSON.parse(openApiText)), 'types.ts': head + (await typesOf(openApiText)) };
};

const modulesAtRunTime = (document: Document) => ({
  'event-types.ts': `${head}export const eventTypes = ${JSON.stringify(eventTypes(document), null, 2)} as const;\n`,
  'operations.ts': `${head}export const operations = ${JSON.stringify(runtimeOperations(document), null, 2)} as const;\n`,
});

/** Loads the generator only here: an installation without development packages runs the client and compiles nothing. */
const typesOf = async (openApiText: string): Promise<string> => {
  const { default: openapiTS, astToString } = await import('openapi-typescript');
  return astToString(await openapiTS(JSON.parse(openApiText)));
};

const eventTypes = ({ components }: Document) => Object.keys(components.schemas.KnownFeedEvent.discriminator.mapping);

const runtimeOperations = ({ paths, components }: Document) =>
  Object.fromEntries(
    Object.entries(paths).flatMap(([path, byMethod]) =>
      Object.entries(byMethod).map(([method, operation]) => [
        operation.operationId,
        {
          method: method.toUpperCase(),
          path,
          takesUserId: operation.parameters?.some(({ name }) => name === 'x-user-id') ?? false,
          needsUserId: operation.parameters?.some(({ name, required }) => name === 'x-user-id' && required) ?? false,
          successStatus: Number(Object.keys(operation.responses).find(isSuccess)),
          problemCodes: Object.values(operation.responses).flatMap((response) => problemCodesOf(response, components)),
        },
      ]),
    ),
  );

const isSuccess = (status: string) => status.startsWith('2');

/** The codes of the problems that a response can be: it has an example of each. */
const problemCodesOf = ({ $ref }: Response, { responses }: Document['components']): string[] => {
  if ($ref === undefined) return [];
  const content = responses[$ref.replace('#/components/responses/', '')]?.content;
  return Object.keys(content?.['application/problem+json']?.examples ?? {});
};

const canGenerateTypes = (): boolean => {
  try {
    return import.meta.resolve('openapi-typescript') !== '';
  } catch {
    return false;
  }
};

/** `npm ci` and `npm run generate` start this. It writes only what differs, so that nothing is compiled anew for nothing. */
const writeModules = async () => {
  const folder = join(import.meta.dirname, '../generated');
  const openApiText = readFileSync(join(import.meta.dirname, '../../../docs/openapi.json'), 'utf8');
  const modules = canGenerateTypes() ? await generatedModules(openApiText) : modulesAtRunTime(JSON.parse(openApiText));
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(modules)) {
    const file = join(folder, name);
    if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text);
  }
  if (!('types.ts' in modules))
    console.warn('The types of the client were not written: openapi-typescript is missing, a development package.');
};

if (import.meta.main) await writeModules();
