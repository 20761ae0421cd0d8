import { STATUS_CODES } from 'node:http';
import { requirementsOf } from '../../lambdas/api/chain.ts';
import type { Endpoint } from '../../lambdas/api/endpoints/endpoint.ts';
import { endpoints, type OperationId, operationIds } from '../../lambdas/api/endpoints/endpoints.ts';
import { problems } from '../../lambdas/api/problems.ts';
import { openApiText } from '../openapi/document.ts';
import { answerExampleOf } from '../openapi/examples.ts';
import { codeSamplesOf } from './code-samples.ts';
import { codeBlockOf, tableOf } from './markdown.ts';

type Headers = Readonly<Record<string, { readonly description: string; readonly example: string }>>;
type Response = { readonly description: string; readonly headers?: object; readonly $ref?: string };
type Operation = {
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly parameters?: object;
  readonly requestBody?: object;
  readonly responses: Readonly<Record<string, Response>>;
};
type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly headers: Headers; readonly responses: Readonly<Record<string, Response>> };
  readonly tags: readonly { readonly name: string }[];
};

const readDocument = (): Document => JSON.parse(openApiText());

type Schema = {
  readonly description?: string;
  readonly const?: string;
  readonly format?: string;
  readonly anyOf?: readonly Schema[];
};

/**
 * Copies the description of a schema to each of its alternatives and gives them titles, because the theme shows an
 * alternative under its title and without the rest of the schema.
 */
const withWholeAlternatives = <Part>(document: Part): Part =>
  JSON.parse(JSON.stringify(document), (_, value: Schema) => {
    if (!Array.isArray(value?.anyOf)) return value;
    const { description, anyOf } = value;
    return { ...value, anyOf: anyOf.map((each) => ({ title: each.const ?? each.format, description, ...each })) };
  });

const operationIn = ({ paths }: Document, operationId: OperationId): Operation => {
  const { path, method } = endpoints[operationId];
  const operation = paths[path]?.[method.toLowerCase()];
  if (!operation) throw new Error(`The API document has no ${method} ${path}.`);
  return operation;
};

/** Returns the headers that the success of each operation has. The pages show them once. */
const commonHeadersOf = (document: Document): readonly string[] =>
  operationIds
    .map((operationId) => {
      const { [endpoints[operationId].success.status]: success } = operationIn(document, operationId).responses;
      return Object.keys(success?.headers ?? {});
    })
    .reduce((common, names) => common.filter((name) => names.includes(name)));

/** Returns the page about the headers of every response, to which the page of each operation links. */
export const headersPage = () => {
  const document = readDocument();
  const rows = commonHeadersOf(document).map((name) => {
    const { description = '', example = '' } = document.components.headers[name] ?? {};
    return [`\`${name}\``, `\`${example}\``, description];
  });
  return {
    name: 'reference/headers',
    title: 'Headers of every response',
    markdown: [
      '# Headers of every response',
      'The response to an operation has these headers, whatever the operation.',
      tableOf(['header', 'example', 'meaning'], rows),
    ].join('\n\n'),
  };
};

/** Returns the responses of an operation. Problems become links to their sections in the guide. */
const responsesOf = ({ responses }: Operation, { components }: Document, commonHeaders: readonly string[]) =>
  Object.fromEntries(
    Object.entries(responses).map(([status, response]) => {
      const problem = response.$ref && components.responses[response.$ref.split('/').at(-1) ?? ''];
      if (problem)
        return [
          status,
          { description: problem.description.replaceAll(/^`([\w-]+)`/gm, '[`$1`](../../guide/errors.html#$1)') },
        ];
      const headers = Object.entries(response.headers ?? {}).filter(([name]) => !commonHeaders.includes(name));
      const description = `${response.description}\n\nIt also has the [headers of every response](../headers.html).`;
      return [status, { ...response, description, headers: Object.fromEntries(headers) }];
    }),
  );

/**
 * Returns the API document with additions for the pages: code samples, and links to the try-out page. Leaves out the
 * descriptions of tags, because the theme would create a page with nothing else for each, and the servers, for which it would
 * add a field without a name to each operation.
 */
export const referenceDocument = (tryOutUrl: string | undefined): object => {
  const document = withWholeAlternatives(readDocument());
  const tags = document.tags.map(({ name }) => ({ name }));
  const commonHeaders = commonHeadersOf(document);
  for (const operationId of operationIds) {
    const operation = operationIn(document, operationId);
    const externalDocs = { url: `${tryOutUrl}#${operationId}`, description: 'Try it out in this local run' };
    const responses = responsesOf(operation, document, commonHeaders);
    const shownBeside = { 'x-codeSamples': codeSamplesOf(operationId), ...(tryOutUrl && { externalDocs }) };
    Object.assign(operation, { responses, ...shownBeside });
  }
  return { ...document, servers: undefined, tags };
};

/** Returns request and success of an operation. Headers are listed by name only, because many answers share them. */
const shownOf = (document: Document, { parameters, requestBody, responses }: Operation, status: number) => {
  const { headers, ...success } = responses[status] ?? {};
  return {
    parameters,
    requestBody: resolvedIn(document, requestBody),
    answer: { status, headers: Object.keys(headers ?? {}), ...(resolvedIn(document, success) as object) },
  };
};

/** Replaces the references in a part of the document by their targets. References within the targets stay. */
const resolvedIn = (document: Document, part: unknown): unknown => {
  if (typeof part !== 'object' || part === null) return part;
  if (Array.isArray(part)) return part.map((each) => resolvedIn(document, each));
  if ('$ref' in part) return placeOf(document, String(part.$ref));
  const resolved = Object.fromEntries(Object.entries(part).map(([name, each]) => [name, resolvedIn(document, each)]));
  // One example is enough: that of the operation.
  return 'example' in resolved
    ? { ...resolved, schema: { ...(resolved.schema as object), examples: undefined } }
    : resolved;
};

const placeOf = (document: Document, reference: string): unknown =>
  reference
    .slice('#/'.length)
    .split('/')
    .reduce<unknown>((place, name) => (place as Readonly<Record<string, unknown>>)[name], document);

/** Returns what the pages show of each operation beside the API document, by the name of its page. */
export const shownOperations = () => {
  const document = readDocument();
  return Object.fromEntries(
    operationIds.map((operationId) => {
      const { summary, tags } = operationIn(document, operationId);
      const shown = { title: summary, group: tags[0], answer: answerTo(endpoints[operationId]) };
      return [operationId.toLowerCase(), shown];
    }),
  );
};

const answerTo = (endpoint: Endpoint): string => {
  const { status } = endpoint.success;
  const body = answerExampleOf(endpoint);
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...(body ? ['content-type: application/json', '', JSON.stringify(body, null, 2)] : []),
  ].join('\n');
};

/** Returns the Markdown page of each operation: its description and its part of the API document. */
export const operationPages = () => {
  const document = readDocument();
  return operationIds.map((operationId) => {
    const { path, method, success } = endpoints[operationId];
    const operation = operationIn(document, operationId);
    return {
      name: `reference/operations/${operationId.toLowerCase()}`,
      title: operation.summary,
      about: `\`${method} ${path}\``,
      markdown: [
        `# ${operation.summary}`,
        `\`${method} ${path}\``,
        operation.description,
        ...codeSamplesOf(operationId).map(({ lang, source }) => codeBlockOf(lang, source)),
        '## In the API document',
        'Schemas are resolved one level deep; `$ref`s within them refer to `openapi.json`.',
        codeBlockOf('json', inShort(shownOf(document, operation, success.status))),
        '## Problems',
        requirementsOf(endpoints[operationId])
          .problems.map((code) => `- ${problems[code].status} \`${code}\`: ${problems[code].title}`)
          .join('\n'),
      ].join('\n\n'),
    };
  });
};

/** Returns the JSON of a value, with whatever is short on one line: models pay for each blank. */
const inShort = (value: unknown, indent = ''): string => {
  const line = JSON.stringify(value);
  if (line.length <= 100 || typeof value !== 'object' || value === null) return line;
  const inner = `${indent} `;
  const isList = Array.isArray(value);
  const parts = Object.entries(value)
    .filter(([, each]) => each !== undefined)
    .map(([name, each]) => `${inner}${isList ? '' : `${JSON.stringify(name)}: `}${inShort(each, inner)}`);
  const [open, close] = isList ? '[]' : '{}';
  return `${open}\n${parts.join(',\n')}\n${indent}${close}`;
};
