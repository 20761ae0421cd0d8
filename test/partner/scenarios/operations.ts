import { readFileSync } from 'node:fs';
import { operations as generated } from '../../../partner/client/generated/operations.ts';
import { answer, call, forEach, json, problem, type Scenario, type Scenarios, userId } from './scenario.ts';

type Place = 'path' | 'query' | 'header';
type Parameter = { readonly name: string; readonly in: Place; readonly example?: string | number };
type Content = { readonly content?: Readonly<Record<string, { readonly schema?: { readonly $ref?: string } }>> };
type Operation = {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
};

const document = JSON.parse(readFileSync('docs/openapi.json', 'utf8'));

const exampleOf = (content: Content | undefined): unknown => {
  const reference = content?.content?.['application/json']?.schema?.$ref ?? '';
  return document.components.schemas[reference.replace('#/components/schemas/', '')]?.examples?.[0] ?? null;
};

const said = { 'x-request-id': 'r-1', etag: '"7"', ratelimit: '"gateway";r=2;t=1' };

/** A call of an operation with all documented arguments, which receives the documented example. */
const wholeCall = (method: string, path: string, operation: Operation): Scenario => {
  const { operationId, parameters = [], requestBody, responses } = operation;
  const given = (place: Place) =>
    Object.fromEntries(
      parameters
        .filter(({ name, in: each }) => each === place && name !== 'x-user-id')
        .map(({ name, example = 'a-value' }) => [name, example]),
    ) as Record<string, string>;
  const [ids, query, headers, body] = [given('path'), given('query'), given('header'), exampleOf(requestBody)];
  const [status = '', response] = Object.entries(responses).find(([each]) => each.startsWith('2')) ?? [];
  const search = new URLSearchParams(Object.entries(query).toSorted());
  const sentHeaders = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return {
    program: [call(operationId, { path: ids, query, headers, ...(body !== null && { body }) })],
    answers: [status === '204' ? answer(204, '', said) : json(Number(status), exampleOf(response), said)],
    steps: `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, (_, id) => ids[id] ?? '')}${search.size > 0 ? `?${search}` : ''}`,
    sent: [
      {
        userId: parameters.some(({ name }) => name === 'x-user-id') ? userId : null,
        headers: Object.fromEntries([...sentHeaders, ...(body === null ? [] : [['content-type', 'application/json']])]),
        body,
      },
    ],
    outcome: {
      ok: true,
      status: Number(status),
      body: exampleOf(response),
      requestId: 'r-1',
      apiKeyExpiresAt: null,
      rateLimit: { policy: 'gateway', remaining: 2, nextInSeconds: 1 },
    },
  };
};

const calls = Object.entries<Record<string, Operation>>(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(
    ([method, operation]) => [operation.operationId, wholeCall(method, path, operation)] as const,
  ),
);

/** One operation for each documented problem. */
const operationOf = Object.fromEntries(
  calls.flatMap(([operationId, scenario]) =>
    generated[operationId as keyof typeof generated].problemCodes.map(
      (code) => [code, { operationId, scenario }] as const,
    ),
  ),
);

export const operations: Scenarios = {
  ...forEach(calls, ([operationId, scenario]) => [`${operationId} sends all its arguments`, scenario]),
  ...forEach(Object.entries(operationOf), ([code, { operationId, scenario }]) => [
    `${operationId} may be refused with ${code}`,
    {
      ...scenario,
      // No client retries after 400.
      answers: [problem(400, code)],
      outcome: { ok: false, code, status: 400, title: 'A title', detail: 'A detail.' },
    },
  ]),
};
