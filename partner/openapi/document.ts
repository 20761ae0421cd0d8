import { requirementsOf } from '../../lambdas/api/chain.ts';
import { type Endpoint, pathParametersOf } from '../../lambdas/api/endpoints/endpoint.ts';
import { endpoints } from '../../lambdas/api/endpoints/endpoints.ts';
import {
  keyLifetimeMonths,
  maxBodyBytes,
  maxValidKeysPerCompany,
  type RatePolicy,
  ratePolicies,
} from '../../lambdas/api/limits.ts';
import {
  type KnownMeasurementName,
  knownMeasurementDescriptions,
  knownMeasurements,
} from '../../lambdas/api/schemas/known-measurements.ts';
import { apiStage, apiVersion } from '../../lambdas/api/version.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { answerExampleOf } from './examples.ts';
import { feedEventSchemas, knownEventsAreTyped } from './feed-events.ts';
import { authenticatedHeaderNames, commonHeaderNames, headerComponents, headersOf } from './headers.ts';
import { describe, type JsonSchema, type PropertyDescriptions, toJsonSchema, withReferences } from './json-schema.ts';
import { parametersOf } from './parameters.ts';
import {
  problemExampleComponents,
  problemResponseComponents,
  problemResponsesOf,
  problemSchemas,
} from './problem-responses.ts';
import { documentationOf, documentedSchemas, referenceTo } from './schemas.ts';
import { tagOf, tags } from './tags.ts';
import { webhookMessageSchemas, webhooks } from './webhook-messages.ts';

const rows = Object.entries<Endpoint>(endpoints);

/** The problems of a request that no operation matches. */
const outsideOfOperations = ['route-not-found'] as const;

/** Returns the API as an OpenAPI 3.1 document. */
export const openApiDocument = () => ({
  openapi: '3.1.0',
  info: {
    title: 'Partner API',
    version: apiVersion,
    description: conventions.join('\n\n'),
    license: { name: packageJson.license, identifier: packageJson.license },
  },
  servers: [
    { url: `https://{host}/${apiStage}`, variables: { host: { default: 'api.example.com' } }, 'x-internal': false },
  ],
  security: [{ apiKey: [] }],
  tags,
  paths: paths(),
  webhooks: webhooks(),
  components: {
    securitySchemes: { apiKey: apiKeyScheme },
    schemas: componentSchemas(),
    responses: problemResponseComponents([
      ...rows.map(([, endpoint]) => requirementsOf(endpoint).problems),
      outsideOfOperations,
    ]),
    headers: headerComponents(),
    examples: problemExampleComponents(),
  },
  'x-rate-limit-policies': describedRatePolicies,
  'x-measurements': describedMeasurements(),
});

/** Returns the text of docs/openapi.json. */
export const openApiText = (): string => `${JSON.stringify(openApiDocument(), null, 2)}\n`;

const conventions = [
  'Times are RFC 3339 in UTC, and end in `Z`. Within a major version, changes are additive: responses may gain properties, so ignore properties that you do not know. The service refuses a request body with an unknown property, and a query with an unknown parameter if the operation has query parameters.',
  'Every unsuccessful response is a problem (RFC 9457). Distinguish problems by `code`. If no operation has the method and path, the response is the problem `route-not-found`.',
  'Each combination of company, operation and path with its ids has a token bucket. `x-rate-limit-policies` lists the policies. Every response states how many requests are left and when the next token is added.',
  '`x-measurements` lists the names of measurements that this version knows, each with its unit.',
];

const apiKeyScheme = {
  type: 'apiKey',
  in: 'header',
  name: 'x-api-key',
  description: `Exactly one key, sent from an address that is registered for the company. A key is valid for ${keyLifetimeMonths} months. A company may have ${maxValidKeysPerCompany} valid keys.`,
};

const paths = () => {
  const byPath: Record<string, Record<string, unknown>> = {};
  for (const [operationId, endpoint] of rows) {
    byPath[endpoint.path] ??= {};
    Object.assign(byPath[endpoint.path] as object, {
      [endpoint.method.toLowerCase()]: operationOf(operationId, endpoint),
    });
  }
  return byPath;
};

/** Builds an operation of the document from its row. */
const operationOf = (operationId: string, endpoint: Endpoint) => {
  const parameters = parametersOf(endpoint);
  return {
    operationId,
    tags: [tagOf(endpoint).name],
    summary: endpoint.summary,
    description: descriptionOf(endpoint),
    ...(parameters.length > 0 && { parameters }),
    ...(endpoint.body && {
      requestBody: {
        required: !endpoint.isBodyOptional,
        description: `At most ${maxBodyBytes} bytes.`,
        content: {
          'application/json': { schema: referenceTo(endpoint.body), example: documentationOf(endpoint.body).example },
        },
      },
    }),
    responses: {
      [endpoint.success.status]: successOf(endpoint),
      ...problemResponsesOf(requirementsOf(endpoint).problems),
    },
    'x-rate-limit': rateLimitOf(endpoint),
  };
};

const descriptionOf = (endpoint: Endpoint): string =>
  [
    endpoint.description,
    ...(endpoint.acceptsHead ? ['A HEAD request gets the same status and headers, without a body.'] : []),
    ...(endpoint.success.status === 202 ? [changeWords] : []),
    ...(endpoint.onBehalfOfUser
      ? [
          'The request needs an active contract, the owner of the contract in `x-user-id`, and the owner’s consent to the latest version.',
        ]
      : []),
    rateWordsOf(endpoint),
  ].join('\n\n');

const changeWords =
  'The service stores the change as a requested change, which is visible at once. It is `pending` until the appliance reports it, and then `confirmed`. An appliance that is offline receives the change later.';

const successOf = (endpoint: Endpoint) => {
  const { status, body, headers = [] } = endpoint.success;
  // The examples of the schema and of the header show the confirmed version.
  const example = status === 202 ? answerExampleOf(endpoint) : undefined;
  const etag = example && { ETag: { ...headerComponents().ETag, example: `"${example.version}"` } };
  return {
    description: successWords[status],
    headers: { ...headersOf([...commonHeaderNames, ...authenticatedHeaderNames, ...headers], 'required'), ...etag },
    ...(body && { content: { 'application/json': { schema: referenceTo(body), ...(example && { example }) } } }),
  };
};

const successWords: Readonly<Record<Endpoint['success']['status'], string>> = {
  200: 'The current state.',
  201: 'Created.',
  202: 'The requested change is stored. The body shows it.',
  204: 'Deleted.',
};

/** All rate policies, as an extension of the document. */
const describedRatePolicies = Object.fromEntries(
  Object.entries<RatePolicy>(ratePolicies).map(([policy, { burst, refillIntervalMs }]) => [
    policy,
    { burst, refillIntervalMs },
  ]),
);

/** The measurements that this version knows, as an extension: the clients are generated from it. */
const describedMeasurements = () =>
  mapValues(knownMeasurements, ({ unit }, name) => {
    const description = knownMeasurementDescriptions()[name as KnownMeasurementName];
    const sentence = `${description.charAt(0).toUpperCase()}${description.slice(1)}`;
    return { unit, description: unit === null ? `${sentence}: a state.` : `${sentence}, in ${unit}.` };
  });

/** The rate policy of an operation, as an extension. */
const rateLimitOf = ({ ratePolicy }: Endpoint) => ({ policy: ratePolicy, ...ratePolicies[ratePolicy] });

/** Describes the rate policy of an operation, and what a request costs. */
const rateWordsOf = ({ ratePolicy, path }: Endpoint): string => {
  const { burst, refillIntervalMs }: RatePolicy = ratePolicies[ratePolicy];
  const counted =
    pathParametersOf(path).length > 0 ? 'company, operation and path with its ids' : 'company and operation';
  return [
    `Rate policy \`${ratePolicy}\`: ${requests(burst)} at once, and one more token every ${refillIntervalMs} ms, for each ${counted}.`,
    'A request costs one token, even if it then fails. A 429 costs no token, and neither does a request that is refused before its key and its ids are checked.',
    ...(path.includes('{gatewayId}')
      ? ['Requests for gateways that are not in the contract share one token bucket of the policy `general`.']
      : []),
  ].join(' ');
};

const requests = (count: number) => (count === 1 ? '1 request' : `${count} requests`);

/** Returns all schemas of the document by name. Nested named schemas become references. */
const componentSchemas = (): Record<string, JsonSchema> => {
  const named = mapValues(Object.fromEntries(documentedSchemas), ({ schema, isSent }) =>
    toJsonSchema(schema, isSent ? 'sent' : 'answered'),
  );
  const finished = (schema: JsonSchema, descriptions: PropertyDescriptions) =>
    describe(
      mapValues(schema, (part) => withReferences(part, named)),
      descriptions,
    );
  return {
    ...mapValues(Object.fromEntries(documentedSchemas), ({ properties, example }, name) => ({
      ...finished(named[name] as JsonSchema, properties as PropertyDescriptions),
      ...(name === 'FeedEvent' && knownEventsAreTyped),
      examples: [example],
    })),
    ...feedEventSchemas(),
    ...webhookMessageSchemas(),
    ...mapValues(problemSchemas(), ({ schema, descriptions }) => finished(schema, descriptions)),
  };
};

const mapValues = <Value, Mapped>(
  record: Readonly<Record<string, Value>>,
  map: (value: Value, name: string) => Mapped,
): Record<string, Mapped> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value, name)]));
