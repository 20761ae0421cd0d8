import { expect } from 'vitest';
import * as z from 'zod/mini';
import { requirementsOf } from '../../lambdas/api/chain.ts';
import type { Endpoint } from '../../lambdas/api/endpoints/endpoint.ts';
import { endpoints, type OperationId } from '../../lambdas/api/endpoints/endpoints.ts';
import type { ProblemDefinition } from '../../lambdas/api/problems/definition.ts';
import { type ProblemCode, problemMediaType, problems } from '../../lambdas/api/problems.ts';
import { apiVersion } from '../../lambdas/api/version.ts';
import { type Answer, expectDocumented } from './api-document.ts';

/**
 * Checks the promises of every response of an operation: it matches the document, has the common headers, and a body as the
 * row or the problem declares it.
 */
export const expectContract = (operationId: OperationId, answer: Answer): void => {
  const endpoint: Endpoint = endpoints[operationId];
  expectDocumented(operationId, answer);
  expect(answer.headers).toMatchObject({
    'x-request-id': expect.stringMatching(/^[\w=-]+$/),
    'x-api-version': apiVersion,
    'cache-control': 'no-store',
    'strict-transport-security': 'max-age=31536000',
    'x-content-type-options': 'nosniff',
  });
  if (answer.status >= 400) {
    expectProblem(answer, requirementsOf(endpoint).problems);
    return;
  }
  expect(answer.status).toBe(endpoint.success.status);
  if (!endpoint.success.body) expect(answer.body).toBeUndefined();
  // Parsing drops unknown properties and sets the order: an undeclared or misplaced property makes the two differ.
  else expect(JSON.stringify(z.parse(endpoint.success.body(), answer.body))).toBe(JSON.stringify(answer.body));
};

/** Checks that a response is one of the problems, with all properties of its row. */
export const expectProblem = ({ status, headers, body }: Answer, allowed: readonly ProblemCode[]): void => {
  expect(allowed).toContain(body.code);
  const definition: ProblemDefinition = problems[body.code as ProblemCode];
  expect(status).toBe(definition.status);
  expect(headers['content-type']).toBe(problemMediaType);
  expect(body).toMatchObject({
    type: `urn:partner-api:problem:${body.code}`,
    title: definition.title,
    status,
    detail: expect.any(String),
    requestId: headers['x-request-id'],
  });
  const members = z.looseObject(definition.members?.() ?? {});
  expect(z.safeParse(members, body).error?.issues).toBeUndefined();
  for (const [name, value] of Object.entries(definition.headers ?? {})) expect(headers[name.toLowerCase()]).toBe(value);
  if (status === 429 || status === 503) expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
};
