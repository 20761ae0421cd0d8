import { ResponseType } from 'aws-cdk-lib/aws-apigateway';
import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import type { ProblemDefinition } from '../../../lambdas/api/problems/definition.ts';
import { type ProblemCode, problems } from '../../../lambdas/api/problems.ts';
import { commonHeaders } from '../../../lambdas/api/version.ts';
import { type Resource, resourcesOf, templateOfStage } from '../synthesized.ts';

/** Every type that API Gateway has, as far as the CDK knows. */
const responseTypes = Object.values(ResponseType)
  .filter((value): value is ResponseType => value instanceof ResponseType)
  .map(({ responseType }) => responseType);

const requestId = 'ZuT4rGDNoAMFxXw=';
let responses: Map<string, Resource['Properties']>;
beforeAll(async () => {
  const template = await templateOfStage('local');
  responses = new Map(
    resourcesOf(template, 'AWS::ApiGateway::GatewayResponse').map(([, { Properties }]) => [
      Properties.ResponseType,
      Properties,
    ]),
  );
});

test('every type of response that API Gateway can give by itself is a problem of ours', () => {
  expect([...responses.keys()].sort()).toEqual([...responseTypes].sort());
});

describe.each(responseTypes)('%s', (type) => {
  test('is a whole problem: status, headers and body are what the table of problems says', () => {
    const { StatusCode, ResponseParameters, ResponseTemplates } = responses.get(type) as Resource['Properties'];
    expect(Object.keys(ResponseTemplates)).toEqual(['application/json']);
    const body = JSON.parse(ResponseTemplates['application/json'].replaceAll('$context.extendedRequestId', requestId));
    expect(body.requestId).toBe(requestId);
    expect(ResponseTemplates['application/json'].replaceAll('$context.extendedRequestId', '')).not.toContain('$');

    const problem: ProblemDefinition = problems[body.code as ProblemCode];
    expect(body).toMatchObject({ type: `urn:partner-api:problem:${body.code}`, title: problem.title });
    expect([body.status, StatusCode]).toEqual([problem.status, String(problem.status)]);
    expect(z.safeParse(z.looseObject({ detail: z.string(), ...problem.members }), body).error).toBeUndefined();
    expect(headersOf(ResponseParameters)).toEqual({
      ...commonHeaders(requestId),
      ...problem.headers,
      'Content-Type': 'application/problem+json',
    });
  });
});

test.each(responseTypes)('%s is not kept, only sent by HTTPS, and never taken for another type', (type) => {
  expect(headersOf(responses.get(type)?.ResponseParameters)).toMatchObject({
    'Cache-Control': 'no-store',
    'Strict-Transport-Security': 'max-age=31536000',
    'X-Content-Type-Options': 'nosniff',
  });
});

test.each([
  ['ACCESS_DENIED', 'source-address-not-allowed'],
  ['WAF_FILTERED', 'throttled'],
  ['MISSING_AUTHENTICATION_TOKEN', 'route-not-found'],
  ['INVALID_SIGNATURE', 'route-not-found'],
  ['THROTTLED', 'throttled'],
  ['REQUEST_TOO_LARGE', 'body-too-large'],
  ['DEFAULT_4XX', 'invalid-request'],
  ['INTEGRATION_TIMEOUT', 'service-unavailable'],
  ['DEFAULT_5XX', 'service-unavailable'],
])('a caller sees %s as %s', (type, code) => {
  expect(JSON.parse(responses.get(type)?.ResponseTemplates['application/json']).code).toBe(code);
});

/** As API Gateway reads them: a quoted value is static, the other is looked up in the request's context. */
const headersOf = (parameters: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => {
      const header = name.replace(/^gatewayresponse\.header\./, '');
      const literal = /^'([^']*)'$/.exec(value)?.[1];
      if (literal === undefined) expect(value).toBe('context.extendedRequestId');
      return [header, literal ?? requestId];
    }),
  );
