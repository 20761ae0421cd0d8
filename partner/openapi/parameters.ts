import { type Endpoint, pathParametersOf } from '../../lambdas/api/endpoints/endpoint.ts';
import { idempotencyHours, maxIdempotencyKeyCharacters } from '../../lambdas/api/limits.ts';
import { idPattern } from '../../lambdas/api/schemas/common.ts';
import { examples } from './examples.ts';
import { describe, type JsonSchema, toJsonSchema } from './json-schema.ts';
import { descriptionOf } from './property-descriptions.ts';

/** What of a request the path, the query and the headers hold; the key is the security scheme. */
export const parametersOf = (endpoint: Endpoint) => [
  ...pathParametersOf(endpoint.path).map((name) => pathParameter(name, endpoint)),
  ...(endpoint.query ? queryParameters(endpoint.query) : []),
  ...(endpoint.onBehalfOfUser ? [userId] : []),
  ...(endpoint.idempotencyKey ? [idempotencyKey] : []),
  ...(endpoint.ifMatch ? [ifMatch] : []),
];

const pathParameter = (name: string, endpoint: Endpoint) => ({
  name,
  in: 'path',
  required: true,
  description: `${descriptionOf('path', name)} Upper and lower case are different.`,
  schema: { type: 'string', pattern: idPattern.source },
  example: exampleIds(endpoint)[name],
});

/** The ids of the examples; a page that lets readers try an operation begins with them. */
const exampleIds = ({ family }: Endpoint): Readonly<Record<string, string>> => ({
  keyId: examples.ApiKey.keyId,
  gatewayId: examples.Gateway.gatewayId,
  circuitId: (family === 'dhw' ? examples.DhwCircuit : examples.HeatingCircuit).circuitId,
  timeProgramId: examples.HeatingTimeProgram.timeProgramId,
});

const queryParameters = (query: NonNullable<Endpoint['query']>) => {
  const { properties, required = [] } = describe('query', toJsonSchema(query, 'sent')) as {
    properties: Record<string, JsonSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    description,
    schema,
  }));
};

const userId = {
  name: 'x-user-id',
  in: 'header',
  required: true,
  description: 'The `userId` that getContract shows: the owner on whose behalf the request acts.',
  schema: { type: 'string' },
  example: examples.Contract.userId,
};

// An optional header has its example in its words: as a value of its own it would be sent by whoever tries the operation.
const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    `One value of 1 to ${maxIdempotencyKeyCharacters} visible ASCII characters, in quotes or bare; a UUID, say: ` +
    `\`"c2f1f7a4-7890-4408-832d-9ad5cf52ce26"\`. A repeat with the same value and the same API key within ` +
    `${idempotencyHours} hours gives the same answer again.`,
  schema: { type: 'string' },
};

const ifMatch = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description: 'The ETag of what was read, `"7"`, say. Nothing is changed if it has changed since.',
  schema: { type: 'string' },
};
