import { endpoints, type OperationId } from '../../lambdas/api/endpoints/endpoints.ts';
import { writtenAt } from '../../partner/openapi/examples.ts';
import { documentedPaths } from './api-document.ts';

/** A request built only from the examples of the document, and its status in the demo world. */
export type ExampleCall = {
  readonly operationId: OperationId;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: object;
  readonly status: number;
};

type Operation = {
  readonly operationId: OperationId;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly example?: string;
  }[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly example: object } } };
};

/** Whether the path names the example's key or webhook, which the demo world lacks; it has the example's gateway and owner. */
const isOfNobody = (path: string) => /\{(keyId|webhookId)\}/.test(path);

/** Returns a call of every operation. */
export const exampleCalls = (): ExampleCall[] =>
  documentedPaths.flatMap(([path, operations]) =>
    Object.entries(operations as unknown as Readonly<Record<string, Operation>>).map(
      ([method, { operationId, parameters = [], requestBody }]) => {
        const required = (place: string) => parameters.filter((each) => each.in === place && each.required);
        const exampleOf = (name: string) => required('path').find((each) => each.name === name)?.example ?? '';
        const body = requestBody?.content['application/json'].example;
        return {
          operationId,
          method: method.toUpperCase(),
          path: path.replace(/\{(\w+)\}/g, (_, name) => exampleOf(name)),
          headers: Object.fromEntries(required('header').map(({ name, example = '' }) => [name, example])),
          ...(body && { body: writtenAt(Date.now(), body) }),
          status: isOfNobody(path) ? 404 : endpoints[operationId].success.status,
        };
      },
    ),
  );

/** Returns calls as sorted lines for comparisons: `GET /contract 200`. */
export const linesOf = (calls: readonly Pick<ExampleCall, 'method' | 'path' | 'status'>[]): string[] =>
  calls.map(({ method, path, status }) => `${method} ${path} ${status}`).toSorted();
