import * as z from 'zod/mini';
import { keyReference } from './schemas/api-key.ts';
import { timestamp } from './schemas/common.ts';
import { applianceFunctions } from './schemas/gateway.ts';

/**
 * Every answer that is not a success, API Gateway's own included. `detail` says what happened and what to do if the
 * occurrence has nothing to add; `members` are the extension members beyond RFC 9457's.
 */
export type ProblemDefinition = {
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly members?: () => Readonly<Record<string, z.ZodMiniType>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers whose value an occurrence brings. */
  readonly ownHeaders?: Readonly<Record<string, 'always' | 'where known'>>;
};

const unauthorized = { status: 401, headers: { 'WWW-Authenticate': 'ApiKey realm="partner-api"' } } as const;
const retryShortly = { headers: { 'Retry-After': '1' } } as const;

export const problems = {
  'invalid-request': {
    status: 400,
    title: 'The request is not well-formed',
    detail: 'Mend what `errors` names and send the request again.',
    members: () => ({ errors: z.array(z.looseObject({ pointer: z.string(), detail: z.string() })) }),
  },
  'user-id-missing': {
    status: 400,
    title: 'The user id is missing',
    detail: 'Send the header x-user-id with the userId that GET /contract shows.',
  },
  'api-key-missing': {
    ...unauthorized,
    title: 'The API key is missing',
    detail: 'Send your API key in the header x-api-key.',
  },
  'api-key-invalid': {
    ...unauthorized,
    title: 'The API key is not valid',
    detail:
      'Send exactly one x-api-key header with a whole key, as it was shown at its creation, that has not been deleted.',
  },
  'api-key-expired': {
    ...unauthorized,
    title: 'The API key has expired',
    detail: 'Use another valid key. Where none is left, ask the operator for a manual renewal.',
  },
  'source-address-not-allowed': {
    status: 403,
    title: 'The source address is not allowed',
    detail: 'Call from an address that is registered for your company, or ask the operator to register this one.',
  },
  'company-suspended': {
    status: 403,
    title: 'The company is suspended',
    detail: 'The operator has suspended your access. Ask the operator.',
  },
  'contract-not-active': {
    status: 403,
    title: 'The contract is not active',
    detail: 'The contract has ended; appliances can no longer be reached under it. Ask the operator.',
  },
  'user-id-mismatch': {
    status: 403,
    title: 'The user id is not the one in the contract',
    detail: 'Send exactly one x-user-id header with the userId that GET /contract shows.',
  },
  'gateway-not-in-contract': {
    status: 403,
    title: 'The gateway is not in the contract',
    detail: 'Use a gatewayId that GET /hvacs lists, or ask the operator to add the gateway to your contract.',
  },
  'consent-outdated': {
    status: 451,
    title: 'The owner has not accepted the latest consent',
    detail: 'Ask the appliance owner to accept the latest consent version at `portalUrl`.',
    members: () => ({
      requiredConsentVersion: z.int(),
      acceptedConsentVersion: z.nullable(z.int()),
      portalUrl: z.url(),
    }),
    ownHeaders: { Link: 'always' },
  },
  'route-not-found': {
    status: 404,
    title: 'There is no such operation',
    detail: 'No operation has this method and path. Compare both with the API document.',
  },
  'api-key-not-found': {
    status: 404,
    title: 'There is no such API key',
    detail: 'Your company has no key with this keyId. GET /api-keys lists those it has.',
  },
  'contract-not-found': {
    status: 404,
    title: 'There is no contract',
    detail: 'No contract is on record for your company yet. Ask the operator.',
  },
  'circuit-not-found': {
    status: 404,
    title: 'There is no such circuit',
    detail: 'The gateway has no circuit of this kind with this circuitId. The list of its circuits shows those it has.',
  },
  'time-program-not-found': {
    status: 404,
    title: 'There is no such time program',
    detail:
      'The circuit has no time program with this timeProgramId. The list of its time programs shows those it has.',
  },
  'api-key-limit-reached': {
    status: 409,
    title: 'The company has as many valid keys as it may have',
    detail: 'Delete one of `validKeys` that is no longer needed, then create the new key.',
    members: () => ({ validKeys: z.array(keyReference()), maxValidKeys: z.int() }),
  },
  'idempotency-key-spent': {
    status: 409,
    title: 'The API key that this Idempotency-Key created was deleted',
    detail: 'Nothing was created. To create another API key, send the request with a new Idempotency-Key.',
  },
  'api-key-in-use': {
    status: 409,
    title: 'The key to delete authenticates this request',
    detail: 'Send the request with another valid key, so that you keep one that works.',
  },
  'appliance-function-blocked': {
    status: 409,
    title: 'The appliance blocks this function to protect itself',
    detail: 'Nothing was changed. Wait until `blockedUntil`; where it is null, read the gateway again later.',
    members: () => ({
      function: z.enum(applianceFunctions),
      blockedSince: timestamp(),
      blockedUntil: z.nullable(timestamp()),
    }),
    ownHeaders: { 'Retry-After': 'where known' },
  },
  'precondition-failed': {
    status: 412,
    title: 'It has changed since you read it',
    detail: 'Nothing was changed. Read it again, and send the change with its current ETag in If-Match.',
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
  'rate-limit-exceeded': {
    status: 429,
    title: 'The rate limit is exhausted',
    detail: 'Wait for `retryAfterMs`, then send the request again. This refusal cost nothing.',
    members: () => ({
      policy: z.string(),
      counter: z.looseObject({
        companyId: z.string(),
        gatewayId: z.optional(z.string()),
        endpoint: z.string(),
        path: z.string(),
      }),
      limit: z.looseObject({ burst: z.int(), refillIntervalMs: z.int() }),
      retryAfterMs: z.int(),
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
    detail: 'The cause is on our side. Read whether a change was made, and tell the operator the requestId.',
  },
  'service-unavailable': {
    ...retryShortly,
    status: 503,
    title: 'The service is not available right now',
    detail:
      'The cause is on our side. Wait for Retry-After, then send the request again; before you repeat a change, read whether it was made.',
  },
} as const satisfies Record<string, ProblemDefinition>;

export type ProblemCode = keyof typeof problems;

/** The extension members that an occurrence of a problem has to bring. */
export type ProblemMembers<Code extends ProblemCode> = (typeof problems)[Code] extends {
  members: () => infer Members extends Record<string, z.ZodMiniType>;
}
  ? { [Name in keyof Members]: z.output<Members[Name]> }
  : unknown;

/** The headers that an occurrence of a problem has to bring, and those that it may. */
export type ProblemHeaders<Code extends ProblemCode> = (typeof problems)[Code] extends { ownHeaders: infer Own }
  ? { readonly [Name in keyof Own as Own[Name] extends 'always' ? Name : never]: string } & {
      readonly [Name in keyof Own]?: string;
    }
  : undefined;
