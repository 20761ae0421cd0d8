import * as z from 'zod/mini';
import { maxBodyBytes, maxReportedErrors, maxTextCharacters, ratePolicies } from '../limits.ts';
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

export const requestProblemDocs = (): ProblemDocs<typeof requestProblems> => ({
  'invalid-request': {
    cause:
      'An id in the path, a query parameter, a header or a property of the body is not what the reference says. `errors` lists each fault with a JSON pointer. An unknown property in the body is a fault too, because it may be a spelling mistake, and so is an unknown parameter in the query of an operation that has any. So is a property that an object has twice, because nobody knows which one is meant.',
    provokedBy: 'as acme "$BASE_URL/hvacs?limit=0"',
    example: { errors: [{ pointer: '/path/circuitId', detail: expectedId }] },
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
    cause: 'No operation has the method and the path. Often the path has a spelling mistake or an empty id.',
    provokedBy: 'as acme "$BASE_URL/nowhere"',
  },
  'body-too-large': {
    cause: 'The body has more bytes than any request needs.',
    provokedBy: String.raw`as acme --request PATCH "$BASE_URL/hvacs/$GATEWAY_ID/heatingCircuits/hc2" \
  --header 'content-type: application/json' --data "$(printf %040000d 0)"`,
    example: { detail: `Send at most ${maxBodyBytes} bytes.` },
  },
  'unsupported-media-type': {
    cause: 'The request has a body but does not say that the body is JSON.',
    provokedBy: `as acme --request PATCH "$BASE_URL/hvacs/$GATEWAY_ID/dhwCircuits/dhw1" --data 'operationMode=off'`,
  },
});

const retryShortly = { headers: { 'Retry-After': '1' } } as const;

/** Refusals because of load, and failures of the service itself. */
export const serviceProblems = {
  'rate-limit-exceeded': {
    status: 429,
    title: 'The rate limit is exhausted',
    detail: 'Wait for `retryAfterMs`, then send the request again. This refusal did not cost a token.',
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
    detail: 'The cause is in the service. Read whether a change was made, and tell the operator the requestId.',
  },
  'service-unavailable': {
    ...retryShortly,
    status: 503,
    title: 'The service is not available right now',
    detail:
      'The cause is in the service. Wait for Retry-After, then send the request again. Before you repeat a change, read whether it was made.',
  },
} as const satisfies Record<string, ProblemDefinition>;

export const serviceProblemDocs = (): ProblemDocs<typeof serviceProblems> => ({
  'rate-limit-exceeded': {
    cause:
      'Your company has used all tokens of this rate-limit key. Other operations and other paths have tokens of their own.',
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
      'All partners together send more requests than the service is set up for, or, if the operator limits addresses, your address does.',
    onlyCausedBy: 'the load of all partners together or of an address',
  },
  'internal-error': {
    cause: 'The service has a fault. Nobody knows whether a change was made.',
    onlyCausedBy: 'a fault of the service',
  },
  'service-unavailable': {
    cause: 'The service or its store did not answer in time. Nobody knows whether a change was made.',
    provokedBy: `npm run demo -- service-fails
as acme "$BASE_URL/contract"
npm run demo -- service-works`,
  },
});
