import { GatewayResponse, type IRestApi, ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import type { Construct } from 'constructs';
import type { ProblemDefinition } from '../../lambdas/api/problems/definition.ts';
import {
  gatewayProblems,
  type ProblemCode,
  problemBody,
  problemMediaType,
  problems,
} from '../../lambdas/api/problems.ts';
import { commonHeaders } from '../../lambdas/api/version.ts';

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
