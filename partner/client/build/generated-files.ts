import openapiTS, { astToString } from 'openapi-typescript';

type Parameter = { readonly name: string };
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

const head = '// Written by `npm run generate` from docs/openapi.json.\n\n';

/** The generated files of the client: its types, and the facts about operations that it needs at run time. */
export const clientFiles = async (openApiText: string): Promise<Readonly<Record<string, string>>> => {
  const document = JSON.parse(openApiText);
  return {
    'types.ts': head + astToString(await openapiTS(document)),
    'event-types.ts': `${head}export const eventTypes = ${JSON.stringify(eventTypes(document), null, 2)} as const;\n`,
    'operations.ts': `${head}export const operations = ${JSON.stringify(runtimeOperations(document), null, 2)} as const;\n`,
  };
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
          needsUserId: operation.parameters?.some(({ name }) => name === 'x-user-id') ?? false,
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
