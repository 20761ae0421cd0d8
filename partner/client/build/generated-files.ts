import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';

type Parameter = { readonly name: string };
type Response = { readonly $ref?: string; readonly content?: Readonly<Record<string, { readonly examples?: object }>> };
type Operation = {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly responses: Readonly<Record<string, Response>>;
};

const document = JSON.parse(readFileSync(join(import.meta.dirname, '../../../docs/openapi.json'), 'utf8'));

const head = '// Written by `npm run client` from docs/openapi.json.\n\n';

/** What the client takes from the API document, by file name: types, and what it has to know when it runs. */
export const generatedFiles = async (): Promise<Readonly<Record<string, string>>> => ({
  'types.ts': head + astToString(await openapiTS(document)),
  'operations.ts': `${head}export const operations = ${JSON.stringify(runtimeOperations(), null, 2)} as const;\n`,
});

const runtimeOperations = () =>
  Object.fromEntries(
    Object.entries<Record<string, Operation>>(document.paths).flatMap(([path, byMethod]) =>
      Object.entries(byMethod).map(([method, operation]) => [
        operation.operationId,
        {
          method: method.toUpperCase(),
          path,
          needsUserId: operation.parameters?.some(({ name }) => name === 'x-user-id') ?? false,
          successStatus: Number(Object.keys(operation.responses).find(isSuccess)),
          problemCodes: Object.values(operation.responses).flatMap(problemCodesOf),
        },
      ]),
    ),
  );

const isSuccess = (status: string) => status.startsWith('2');

/** A response has an example of each problem that it can be, by its code. */
const problemCodesOf = ({ $ref }: Response): string[] => {
  if ($ref === undefined) return [];
  const { content }: Response = document.components.responses[$ref.replace('#/components/responses/', '')];
  return Object.keys(content?.['application/problem+json']?.examples ?? {});
};
