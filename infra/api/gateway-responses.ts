import { GatewayResponse, type IRestApi, ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import type { Construct } from 'constructs';
import type { ProblemDefinition } from '../../lambdas/api/problems/definition.ts';
import { type ProblemCode, problemBody, problemMediaType, problems } from '../../lambdas/api/problems.ts';
import { commonHeaders } from '../../lambdas/api/version.ts';

/**
 * The API's problem for each of API Gateway's own responses. Types that need an authorizer, an API Gateway key or a request
 * validator cannot occur, since no method has one; they are listed so that no response ever has API Gateway's own format.
 */
const gatewayProblems: Readonly<Record<string, ProblemCode>> = {
  ACCESS_DENIED: 'source-address-not-allowed',
  // No route uses IAM: API Gateway looks for a token or a signature only where it knows no route.
  MISSING_AUTHENTICATION_TOKEN: 'route-not-found',
  EXPIRED_TOKEN: 'route-not-found',
  INVALID_SIGNATURE: 'route-not-found',
  RESOURCE_NOT_FOUND: 'route-not-found',
  UNAUTHORIZED: 'api-key-invalid',
  INVALID_API_KEY: 'api-key-invalid',
  THROTTLED: 'throttled',
  QUOTA_EXCEEDED: 'throttled',
  // API Gateway documents that it does not honour this one yet: its 413 has a body of its own.
  REQUEST_TOO_LARGE: 'body-too-large',
  UNSUPPORTED_MEDIA_TYPE: 'unsupported-media-type',
  BAD_REQUEST_BODY: 'invalid-request',
  BAD_REQUEST_PARAMETERS: 'invalid-request',
  DEFAULT_4XX: 'invalid-request',
  INTEGRATION_FAILURE: 'service-unavailable',
  INTEGRATION_TIMEOUT: 'service-unavailable',
  API_CONFIGURATION_ERROR: 'internal-error',
  AUTHORIZER_CONFIGURATION_ERROR: 'internal-error',
  AUTHORIZER_FAILURE: 'internal-error',
  // All other faults on our side, such as a function that Lambda throttles; a retry may succeed.
  DEFAULT_5XX: 'service-unavailable',
};

/** The only request id that a client cannot choose. Templates do not escape values. */
const requestId = '$context.extendedRequestId';

/** Extension members, and the detail where the definition's own does not fit an occurrence at the gateway. */
const occurrences: Partial<Record<ProblemCode, { detail?: string; errors?: [] }>> = {
  'invalid-request': { detail: 'The gateway could not read the request.', errors: [] },
};

/**
 * Adds the gateway responses of an API to a stack. `wafFiltered` is the problem with which the stage answers a request that AWS
 * WAF blocks.
 */
export const addGatewayResponses = (scope: Construct, api: RestApi, wafFiltered: ProblemCode): void => {
  for (const [type, code] of Object.entries({ ...gatewayProblems, WAF_FILTERED: wafFiltered })) {
    const { status, headers = {} }: ProblemDefinition = problems[code];
    new GatewayResponse(scope, type, {
      // The class declares a property as possibly undefined that its interface declares as optional.
      restApi: api as IRestApi,
      type: ResponseType.of(type),
      statusCode: String(status),
      responseHeaders: mapValues({ ...commonHeaders(requestId), ...headers, 'Content-Type': problemMediaType }, mapped),
      // API Gateway selects the template by the request's Accept header, and this one by default. The Content-Type is the
      // header above.
      templates: { 'application/json': JSON.stringify(problemBody(code, requestId, occurrences[code])) },
    });
  }
};

/** API Gateway's notation: a context variable without its `$`, a static value in single quotes. */
const mapped = (value: string) => (value === requestId ? value.slice(1) : `'${value}'`);

const mapValues = (record: Record<string, string>, map: (value: string) => string) =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
