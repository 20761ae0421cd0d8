import * as z from 'zod/mini';
import { cutText, maxBodyBytes, maxReportedErrors, maxTextCharacters, ratePolicies } from '../limits.ts';
import { companyId, count, expectedId, id, matching, maxIdCharacters, text } from '../schemas/common.ts';
import type { ProblemDefinition, ProblemDocs } from './definition.ts';

/** Faults of the request itself, independent of the caller. */
export const requestProblems = {
  'invalid-request': {
    status: 400,
    title: 'The request is not well-formed',
    detail: 'Fix the faults listed in `errors` and send the request again.',
    members: () => ({
      errors: z.array(z.looseObject({ pointer: text(), detail: text() })).check(z.maxLength(maxReportedErrors)),
    }),
  },
  'route-not-found': {
    status: 404,
    title: 'The operation does not exist',
    detail: 'No operation has this method and path. Compare both with the API document.',
  },
  'body-too-large': {
    status: 413,
    title: 'The body is too large',
    detail: 'Send a smaller body.',
  },
  'unsupported-media-type': {
    status: 415,
    title: 'The media type is not supported',
    detail: 'Send the body as application/json.',
  },
} as const satisfies Record<string, ProblemDefinition>;

/** What is wrong with a request: the place, as a JSON pointer (RFC 6901), and what was expected there. */
export type Fault = { readonly pointer: string; readonly detail: string };

/**
 * Returns the detail of a request with faults: one line that ends with the first fault, because programs log the detail and
 * few log the list.
 */
export const detailOfFaults = ([first]: readonly Fault[], total: number): string => {
  const what = requestProblems['invalid-request'].detail.slice(0, -1);
  const more = total > 1 ? ` (and ${total - 1} more)` : '';
  return cutText(`${what}: ${first?.pointer}: ${first?.detail}${more}`.replaceAll(/[\p{C}\p{Z}]+/gu, ' '));
};

const exampleFaults: readonly Fault[] = [{ pointer: '/path/circuitId', detail: expectedId }];

export const requestProblemDocs = (): ProblemDocs<typeof requestProblems> => ({
  'invalid-request': {
    cause:
      'An id in the path, a query parameter, a header or a property of the body does not match the reference. `errors` lists each fault with a JSON pointer, and `detail` ends with the first. Unknown properties in the body are faults, because they may be spelling mistakes, and so are unknown query parameters of an operation that has query parameters. A duplicate property of an object is a fault, because it is ambiguous.',
    provokedBy: 'as acme "$BASE_URL/hvacs?limit=0"',
    example: { errors: [...exampleFaults], detail: detailOfFaults(exampleFaults, 1) },
    members: {
      errors: {
        description: `The faults of the request, ${maxReportedErrors} at most.`,
        properties: {
          pointer: 'A JSON pointer to the fault. It begins with /path, /query, /header or /body.',
          detail: 'What the service expected there.',
        },
      },
    },
  },
  'route-not-found': {
    cause: 'No operation has this method and path. Often the path has a spelling mistake or an empty id.',
    provokedBy: 'as acme "$BASE_URL/nowhere"',
  },
  'body-too-large': {
    cause: 'The body is larger than any valid request.',
    provokedBy: String.raw`as acme --request PATCH "$BASE_URL/hvacs/$GATEWAY_ID/heatingCircuits/hc2" \
  --header 'content-type: application/json' --data "$(printf %040000d 0)"`,
    example: { detail: `Send at most ${maxBodyBytes} bytes.` },
  },
  'unsupported-media-type': {
    cause: 'The request has a body, but its content type is not JSON.',
    provokedBy: `as acme --request PATCH "$BASE_URL/hvacs/$GATEWAY_ID/dhwCircuits/dhw1" --data 'operationMode=off'`,
  },
});

const retryShortly = { headers: { 'Retry-After': '1' } } as const;

/** Refusals because of load, and failures of the service itself. */
export const serviceProblems = {
  'rate-limit-exceeded': {
    status: 429,
    title: 'The rate limit is exhausted',
    detail: 'Wait for `retryAfterMs`, then send the request again. This request cost no token.',
    members: () => ({
      policy: matching(/^[a-z-]+$/, maxIdCharacters),
      counter: z.looseObject({
        companyId: companyId(),
        gatewayId: z.optional(id()),
        endpoint: matching(/^[A-Za-z-]+$/, maxIdCharacters),
        path: matching(/^\/[\w/.{}-]+$/, maxTextCharacters),
      }),
      limit: z.looseObject({ burst: count(), refillIntervalMs: count() }),
      retryAfterMs: count(),
    }),
    ownHeaders: { 'Retry-After': 'always' },
  },
  throttled: {
    ...retryShortly,
    status: 429,
    title: 'The service as a whole receives too many requests',
    detail: 'This is not your own rate limit. Wait for Retry-After, then send the request again.',
  },
  'internal-error': {
    status: 500,
    title: 'The service failed',
    detail:
      'The service has a fault. Read the resource to find out whether a change was made, and send the requestId to the operator.',
  },
  'service-unavailable': {
    ...retryShortly,
    status: 503,
    title: 'The service is not available right now',
    detail:
      'The service has a fault. Wait for Retry-After, then send the request again. Before you repeat a change, read the resource to find out whether the change was made.',
  },
} as const satisfies Record<string, ProblemDefinition>;

export const serviceProblemDocs = (): ProblemDocs<typeof serviceProblems> => ({
  'rate-limit-exceeded': {
    cause:
      'Your company has used all tokens of this rate-limit key. Other operations and other paths have their own tokens.',
    provokedBy: `for each in 1 2; do
  as acme --request PUT "$BASE_URL/hvacs/$GATEWAY_ID/heatingCircuits/hc2/timePrograms/1"
done`,
    example: {
      policy: 'gateway',
      counter: {
        companyId: 'acme',
        gatewayId: 'gw-1001',
        endpoint: 'getHeatingCircuit',
        path: '/hvacs/gw-1001/heatingCircuits/hc1',
      },
      limit: { ...ratePolicies.gateway },
      retryAfterMs: 1350,
    },
    members: {
      policy: 'The rate policy that refused the request.',
      counter: {
        description: 'The rate-limit key: the requests that share the tokens.',
        properties: {
          companyId: 'The company. All of its API keys share the tokens.',
          gatewayId: 'The gateway in the path; absent if the path has none.',
          endpoint: 'The operation.',
          path: 'The path with its ids, without the query.',
        },
      },
      limit: {
        description: 'The numbers of the rate policy.',
        properties: {
          burst: 'The number of requests that a full bucket admits at once.',
          refillIntervalMs: 'The number of milliseconds from one token to the next.',
        },
      },
      retryAfterMs:
        'The number of milliseconds until the next token. Retry-After says the same in whole seconds, rounded up.',
    },
  },
  throttled: {
    cause:
      'All partners together, or your address if the operator limits addresses, send more requests than the service is configured for.',
    onlyCausedBy: 'the load of all partners together or of an address',
  },
  'internal-error': {
    cause: 'The service has a fault. A change may or may not have been made.',
    onlyCausedBy: 'a fault of the service',
  },
  'service-unavailable': {
    cause: 'The service or its store did not respond in time. A change may or may not have been made.',
    provokedBy: `npm run demo -- service-fails
as acme "$BASE_URL/contract"
npm run demo -- service-works`,
  },
});
