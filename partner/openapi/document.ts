import { requirementsOf } from '../../lambdas/api/chain.ts';
import type { Endpoint } from '../../lambdas/api/endpoints/endpoint.ts';
import { endpoints } from '../../lambdas/api/endpoints/endpoints.ts';
import { keyLifetimeMonths, maxValidKeysPerCompany } from '../../lambdas/api/limits.ts';
import { apiStage, apiVersion } from '../../lambdas/api/version.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { componentSchemas } from './component-schemas.ts';
import { headerComponents } from './headers.ts';
import { operationOf } from './operation.ts';
import { webhooks } from './pokes.ts';
import { problemExampleComponents, problemResponseComponents } from './problem-responses.ts';
import { describedRatePolicies } from './rate-policies.ts';
import { tags } from './tags.ts';

const rows = Object.entries<Endpoint>(endpoints);

/** The problems of a request that no operation matches. */
const outsideOfOperations = ['route-not-found'] as const;

/** The API as an OpenAPI 3.1 document. */
export const openApiDocument = () => ({
  openapi: '3.1.1',
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
});

/** The text of docs/openapi.json. */
export const openApiText = (): string => `${JSON.stringify(openApiDocument(), null, 2)}\n`;

const conventions = [
  'Times are RFC 3339, UTC. Within a major version changes are additive: an answer may gain properties, so ignore properties that you do not know. The service refuses a request body with an unknown property.',
  'Every answer that is not a success is a problem (RFC 9457). Tell problems apart by `code`. If no operation has the method and path, the answer is the problem `route-not-found`.',
  'Each combination of company, operation and path with its ids has a token bucket. `x-rate-limit-policies` has the policies. Every answer says how many requests are left and when there is one more.',
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
