import { readFileSync } from 'node:fs';
import type { ErrorObject } from 'ajv';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect } from 'vitest';
import type { OperationId } from '../../lambdas/api/endpoints/endpoints.ts';

/** An HTTP response. */
export type Answer = {
  readonly status: number;
  /** Header values by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of every shape, after a check against their schemas.
  readonly body: any;
};

export type JsonSchema = Readonly<Record<string, unknown>>;
type Reference = { readonly $ref: string };
type Header = { readonly required: boolean; readonly schema: JsonSchema };
type DocumentedResponse = {
  readonly headers: Readonly<Record<string, Reference | Header>>;
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema }>>;
};
type DocumentedOperation = {
  readonly operationId: OperationId;
  readonly description: string;
  readonly responses: Readonly<Record<string, Reference | DocumentedResponse>>;
};

/** The API document that partners receive. */
export const apiDocument = JSON.parse(readFileSync('docs/openapi.json', 'utf8'));

export const documentedPaths = Object.entries<Record<string, DocumentedOperation>>(apiDocument.paths);

/** Resolves a `$ref` of the document. */
export const resolve = (reference: string) =>
  reference
    .slice('#/'.length)
    .split('/')
    .reduce((place, name) => place[name], apiDocument);

const compiler = (ownFormats: Readonly<Record<string, RegExp>> = {}) => {
  // Not strict: OpenAPI adds keywords to those of JSON Schema.
  const ajv = new Ajv2020({ strict: false });
  formats.default(ajv);
  for (const [name, format] of Object.entries(ownFormats)) ajv.addFormat(name, format);
  ajv.addSchema(apiDocument, 'openapi.json');
  const validators = new Map<string, ValidateFunction>();
  return (schema: JsonSchema): ValidateFunction => {
    const absolute = JSON.stringify(schema).replaceAll('"$ref":"#', '"$ref":"openapi.json#');
    const validator = validators.get(absolute) ?? ajv.compile(JSON.parse(absolute));
    validators.set(absolute, validator);
    return validator;
  };
};

/** Validates a value against a schema of the document. Each schema is compiled once. */
export const validatorOf = compiler();

/** Does the same for answers, whose times are in UTC: the document says so in its description only. */
const answerValidatorOf = compiler({ 'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/ });

/** An error that names the response and its fault. */
type Check = (answer: Answer) => string[];

/** Checks status, headers and body of a response against the operation in the document. */
export const expectDocumented = (operationId: OperationId, answer: Answer): void =>
  expectNoFaults(operations.get(operationId), answer);

/** Does the same for a request over the wire, which may match no operation. */
export const expectDocumentedAt = (method: string, path: string, answer: Answer): void => {
  const operation = operationAt(method, path);
  if (operation && answer.body?.code !== 'route-not-found') expectNoFaults(operation, answer);
  else expect(outsideCheck(answer.body?.code)(answer)).toEqual([]);
};

/** Finds the operation of a request. */
export const operationAt = (method: string, path: string): DocumentedOperation | undefined => {
  const [spelled = ''] = path.split(/\/?(?:[?#]|$)/);
  const route = spelled.split('/').map(decoded).join('/');
  return routes.find(({ pattern }) => pattern.test(route))?.byMethod[method.toLowerCase()];
};

const operations = new Map(
  documentedPaths.flatMap(([, byMethod]) => Object.values(byMethod).map((each) => [each.operationId, each])),
);

/** In the order in which API Gateway matches paths: those without parameters first. */
const routes = documentedPaths
  .toSorted(([one], [other]) => one.split('{').length - other.split('{').length)
  .map(([path, byMethod]) => ({ pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`), byMethod }));

/** Decodes a path, so that two spellings match the same operation. A path that cannot be decoded stays as it is. */
const decoded = (segment: string) => {
  try {
    return decodeURIComponent(segment).replaceAll('/', '%2F');
  } catch {
    return segment;
  }
};

const checks = new Map<string, Check>();

const expectNoFaults = (operation: DocumentedOperation | undefined, answer: Answer): void => {
  const response = operation?.responses[answer.status];
  if (!response) throw new Error(`The document has no answer ${answer.status} of ${operation?.operationId}.`);
  const name = '$ref' in response ? response.$ref : `${operation.operationId} ${answer.status}`;
  const check = checks.get(name) ?? checkOf('$ref' in response ? resolve(response.$ref) : response);
  checks.set(name, check);
  expect(check(answer)).toEqual([]);
};

/** The response to a request that matches no operation: any problem. */
const outsideCheck = (code: string): Check => {
  const { headers, content } = apiDocument.components.responses['route-not-found'];
  const [[mediaType]] = Object.entries(content) as [[string, unknown]];
  const schema = Object.values<{ properties?: { code?: { const: string } } }>(apiDocument.components.schemas).find(
    ({ properties }) => properties?.code?.const === code,
  );
  return checkOf({ headers, content: { [mediaType]: { schema: schema ?? { not: {} } } } });
};

const checkOf = ({ headers, content }: DocumentedResponse): Check => {
  const headerChecks = Object.entries(headers).map(([name, header]) =>
    headerCheck(name.toLowerCase(), '$ref' in header ? resolve(header.$ref) : header),
  );
  const announced = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const checkBody = bodyCheck(content);
  return (answer) => [
    ...headerChecks.flatMap((check) => check(answer)),
    ...Object.keys(answer.headers)
      .filter((name) => !announced.has(name) && !isOfTransport(name))
      .map((name) => `The header ${name} is not announced.`),
    ...checkBody(answer),
  ];
};

/** Headers that HTTP and API Gateway add, and the media type, which the document declares elsewhere. */
const isOfTransport = (name: string) =>
  /^(content-type|content-length|date|connection|keep-alive|transfer-encoding|x-amz.+)$/.test(name);

const headerCheck = (name: string, { required, schema }: Header): Check => {
  const validate = answerValidatorOf(schema);
  const read = (value: string) => (schema.type === 'integer' ? Number(value) : value);
  return ({ headers: { [name]: value } }) => {
    if (value === undefined) return required ? [`The header ${name} is missing.`] : [];
    return validate(read(value)) ? [] : faultsOf(validate.errors, `The header ${name}`);
  };
};

const bodyCheck = (content: DocumentedResponse['content']): Check => {
  if (!content) return ({ body }) => (body === undefined ? [] : ['There is a body.']);
  const [[mediaType, { schema }] = ['', { schema: {} }]] = Object.entries(content);
  const validate = answerValidatorOf(schema);
  return ({ headers, body }) => [
    ...(headers['content-type'] === mediaType ? [] : [`The media type is not ${mediaType}.`]),
    ...(validate(body) ? [] : faultsOf(validate.errors, 'The body')),
  ];
};

const faultsOf = (errors: ErrorObject[] | null | undefined, what: string) =>
  (errors ?? []).map(({ instancePath, message }) => `${what}${instancePath} ${message}.`);
