import { type Endpoint, pathParametersOf } from '../../lambdas/api/endpoints/endpoint.ts';
import { endpoints } from '../../lambdas/api/endpoints/endpoints.ts';
import { idempotencyHours, maxIdempotencyKeyCharacters, pageSize } from '../../lambdas/api/limits.ts';
import { id } from '../../lambdas/api/schemas/common.ts';
import { contractDocs } from '../../lambdas/api/schemas/contract.ts';
import { latest } from '../../lambdas/api/schemas/feed.ts';
import { describe, type JsonSchema, toJsonSchema } from './json-schema.ts';
import { documentationOf, itemOf, queryDescriptionsOf } from './schemas.ts';

/** Returns the path, query and header parameters of an operation, without the API key, which is the security scheme. */
export const parametersOf = (endpoint: Endpoint) => [
  ...pathParametersIn(endpoint),
  ...(endpoint.query ? queryParameters(endpoint.query) : []),
  ...(endpoint.onBehalfOfUser ? [userId] : []),
  ...(endpoint.userId ? [namedUserId] : []),
  ...(endpoint.idempotencyKey ? [idempotencyKey] : []),
  ...(endpoint.ifMatch ? [ifMatch] : []),
];

/** Parameters are sent as text, but the document has the type of the parsed value. A time may have any offset. */
const queryParameters = (query: NonNullable<Endpoint['query']>) => {
  const { required = [], properties: sent } = toJsonSchema(query, 'sent') as {
    required?: string[];
    properties: Record<string, JsonSchema>;
  };
  const { properties } = describe(toJsonSchema(query, 'answered'), queryDescriptionsOf(query)) as {
    properties: Record<string, JsonSchema>;
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    description,
    schema: withExample(name, schema.format === 'date-time' ? { ...sent[name] } : schema),
  }));
};

/**
 * Examples for parameters without an enum. They are in the schema, because pages and tools send the example of a parameter
 * itself, and an example cursor is not valid.
 */
const queryExamples: Readonly<Record<string, unknown>> = {
  limit: pageSize.default,
  cursor: 'M2ZhOTBiMS5xOHYyWHJUbi40Mg',
  after: latest,
  from: '2026-11-01',
  to: '2026-11-20',
};

const withExample = (name: string, schema: JsonSchema): JsonSchema => {
  if (schema.enum) return schema;
  const example = queryExamples[name];
  return { ...schema, examples: [schema.format === 'date-time' ? `${example}T05:00:00Z` : example] };
};

const userId = {
  name: 'x-user-id',
  in: 'header',
  required: true,
  description: 'The owner on whose behalf the request acts: the `userId` of a contract that listContracts returns.',
  schema: toJsonSchema(id, 'answered'),
  example: contractDocs().example.userId,
};

const namedUserId = {
  ...userId,
  required: false,
  description:
    'The `userId` of the owner whose contract the request is about. Optional for a company with one contract.',
};

const exampleIdempotencyKey = '"4f9b0c6d2e8a417fb35d90c1e6a7283b"';

/** API Gateway's limit for the total size of all headers. */
const maxHeaderBytes = 10_240;

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    `A value of 1 to ${maxIdempotencyKeyCharacters} visible ASCII characters, with or without quotes. Use at least 128 ` +
    `random bits, for example \`${exampleIdempotencyKey}\`: everybody who has the API key and the value can repeat ` +
    `the request. Within ${idempotencyHours} hours, a retry with the same value and the same API key returns the same ` +
    'response again, until the first use of the created key.',
  // The longest form: in quotes, with every character escaped.
  schema: {
    type: 'string',
    pattern: '^[ -~]+$',
    maxLength: 2 * maxIdempotencyKeyCharacters + 2,
  },
  example: exampleIdempotencyKey,
};

const ifMatch = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description:
    'The ETag of the version that you read, for example `"7"`. If the resource has another version now, the service changes nothing. `*` matches every version. A weak ETag, `W/"7"`, is equivalent to the strong ETag; any other value is refused as malformed.',
  schema: {
    type: 'string',
    // One or several tags, or `*` for any version.
    pattern: '^(\\*|(W/)?"[0-9]+"( *, *(W/)?"[0-9]+")*)$',
    maxLength: maxHeaderBytes,
  },
  example: '"7"',
};

const rows: readonly Endpoint[] = Object.values(endpoints);

/** Returns the path parameters, with description and example from the body that has the id as a property. */
const pathParametersIn = ({ path }: Endpoint) =>
  pathParametersOf(path).map((name) => {
    const { description, example } = propertyOnTheWayTo(path, name);
    return {
      name,
      in: 'path',
      required: true,
      description: `${description} Case matters.`,
      schema: toJsonSchema(id, 'answered'),
      example,
    };
  });

/** Returns the property of the nearest body: the body of the path itself, or of the longest path that is a prefix of it. */
const propertyOnTheWayTo = (path: string, name: string): { description: string; example: unknown } => {
  const onTheWay = rows
    .filter((row) => path.startsWith(row.path))
    .toSorted((one, other) => other.path.length - one.path.length);
  for (const { body } of onTheWay.map(({ success }) => success)) {
    if (!body) continue;
    const { properties, example } = documentationOf(itemOf(body) ?? body) as {
      properties: Record<string, unknown>;
      example: object;
    };
    const description = properties[name];
    if (typeof description === 'string' && name in example)
      return { description, example: (example as Record<string, unknown>)[name] };
  }
  throw new Error(
    `The path ${path} names {${name}}, and no body on the way to it has a property "${name}" to describe it. Give the body its id in lambdas/api/schemas/.`,
  );
};
