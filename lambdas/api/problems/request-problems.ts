import * as z from 'zod/mini';
import { maxBodyBytes, maxReportedErrors } from '../limits.ts';
import { expectedId } from '../schemas/common.ts';
import { text } from '../schemas/values.ts';
import type { ProblemDefinition, ProblemDocs } from './definition.ts';

/** Faults of the request itself, whoever sends it. */
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
      'An id in the path, a query parameter, a header or a property of the body is not what the reference says. `errors` lists each fault with a JSON pointer. An unknown property in the body is a fault too, because it may be a spelling mistake. So is a property that an object has twice, because nobody knows which one is meant.',
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
