import { openApiDocument } from '../openapi/document.ts';

type Parameter = {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly example?: unknown;
};

export type Operation = {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly [string];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example?: unknown }>> };
};

export type DescribedOperation = { readonly method: string; readonly path: string; readonly operation: Operation };

export const methods = ['get', 'put', 'post', 'patch', 'delete'];

export const documentPaths = () =>
  openApiDocument().paths as unknown as Readonly<Record<string, Readonly<Record<string, Operation>>>>;

export const describedOperations = (): DescribedOperation[] =>
  Object.entries(documentPaths()).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) =>
      methods.includes(method) ? [{ method: method.toUpperCase(), path, operation }] : [],
    ),
  );
