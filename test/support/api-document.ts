import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { OperationId } from '../../lambdas/api/endpoints/endpoints.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;
export type Reference = { readonly $ref: string };
export type Header = { readonly required: boolean; readonly schema: JsonSchema };
export type DocumentedResponse = {
  readonly headers: Readonly<Record<string, Reference>>;
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema }>>;
};
export type DocumentedOperation = {
  readonly operationId: OperationId;
  readonly description: string;
  readonly responses: Readonly<Record<string, Reference | DocumentedResponse>>;
};

/** The API document as a partner gets it. */
export const apiDocument = JSON.parse(readFileSync('docs/openapi.json', 'utf8'));

export const documentedPaths = Object.entries<Record<string, DocumentedOperation>>(apiDocument.paths);

/** What a reference within the document leads to. */
export const resolve = (reference: string) =>
  reference
    .slice('#/'.length)
    .split('/')
    .reduce((place, name) => place[name], apiDocument);

// Not strict: beside the keywords of JSON Schema stand those of OpenAPI.
const ajv = new Ajv2020({ strict: false });
formats.default(ajv);
ajv.addSchema(apiDocument, 'openapi.json');

const validators = new Map<string, ValidateFunction>();

/** Checks against a schema of the document; each is compiled once. */
export const validatorOf = (schema: JsonSchema): ValidateFunction => {
  const absolute = JSON.stringify(schema).replaceAll('"$ref":"#', '"$ref":"openapi.json#');
  const validator = validators.get(absolute) ?? ajv.compile(JSON.parse(absolute));
  validators.set(absolute, validator);
  return validator;
};
