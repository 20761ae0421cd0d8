import type * as z from 'zod/mini';
import { cutText, maxReportedErrors, maxTextCharacters } from './limits.ts';
import { apiKeyProblemDocs, apiKeyProblems } from './problems/api-key-problems.ts';
import { contractProblemDocs, contractProblems } from './problems/contract-problems.ts';
import type { ProblemDefinition } from './problems/definition.ts';
import {
  detailOfFaults,
  type Fault,
  requestProblemDocs,
  requestProblems,
  serviceProblemDocs,
  serviceProblems,
} from './problems/request-problems.ts';
import {
  applianceProblemDocs,
  applianceProblems,
  feedProblemDocs,
  feedProblems,
  webhookProblemDocs,
  webhookProblems,
} from './problems/resource-problems.ts';

export const problemMediaType = 'application/problem+json';

type Occurrence<Code extends ProblemCode> = ProblemMembers<Code> & {
  /** Replaces the definition's own text if the occurrence knows more. */
  readonly detail?: string;
};

/** Every code with headers of its own also has members. */
type Arguments<Code extends ProblemCode> =
  unknown extends ProblemMembers<Code>
    ? [Occurrence<Code>?, undefined?]
    : undefined extends ProblemHeaders<Code>
      ? [Occurrence<Code>, undefined?]
      : [Occurrence<Code>, ProblemHeaders<Code>];

/** A refusal as a value: a stage or a handler returns it instead of its result. */
export class Problem<Code extends ProblemCode = ProblemCode> {
  readonly code: Code;
  /** The extension members, and the detail if the occurrence has one of its own. */
  readonly occurrence: object;
  /** Headers in addition to those of every occurrence. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: Code, ...[occurrence, headers]: Arguments<Code>) {
    this.code = code;
    this.occurrence = occurrence ?? {};
    this.headers = headers ?? {};
  }
}

/** Sends a reader past lost events in the feed. Partners see an expired cursor; the service counts it as its own fault. */
export class LostEventsProblem extends Problem<'cursor-expired'> {}

/** The body of a problem, RFC 9457. `requestId` may be a placeholder that API Gateway fills in. */
export const problemBody = (code: ProblemCode, requestId: string, occurrence: object = {}) => {
  const { status, title, detail } = problems[code];
  return { type: `urn:partner-api:problem:${code}`, title, status, detail, code, requestId, ...occurrence };
};

/** Every answer that is not a success, API Gateway's own included. */
export const problems = {
  ...requestProblems,
  ...apiKeyProblems,
  ...contractProblems,
  ...applianceProblems,
  ...feedProblems,
  ...webhookProblems,
  ...serviceProblems,
} as const satisfies Record<string, ProblemDefinition>;

/** Returns what partners read about each problem beyond its definition; no function calls it. */
export const problemDocs = () => ({
  ...requestProblemDocs(),
  ...apiKeyProblemDocs(),
  ...contractProblemDocs(),
  ...applianceProblemDocs(),
  ...feedProblemDocs(),
  ...webhookProblemDocs(),
  ...serviceProblemDocs(),
});

export type ProblemCode = keyof typeof problems;

/** The extension members that an occurrence of a problem must have. */
export type ProblemMembers<Code extends ProblemCode> = (typeof problems)[Code] extends {
  members: () => infer Members extends Record<string, z.ZodMiniType>;
}
  ? { [Name in keyof Members]: z.output<Members[Name]> }
  : unknown;

/** The headers that an occurrence of a problem must have, and those that it may have. */
export type ProblemHeaders<Code extends ProblemCode> = (typeof problems)[Code] extends { ownHeaders: infer Own }
  ? { readonly [Name in keyof Own as Own[Name] extends 'always' ? Name : never]: string } & {
      readonly [Name in keyof Own]?: string;
    }
  : undefined;

/**
 * Refuses a request because of its faults. It lists only the first ones, and cuts their texts, so that the answer stays
 * small.
 */
export const invalidRequest = (faults: readonly Fault[]) => {
  const errors = faults.slice(0, maxReportedErrors).map(cut);
  return new Problem('invalid-request', { errors, detail: detailOfFaults(errors, faults.length) });
};

/**
 * Refuses a request for a gateway that the contract covers but that is not there. The definition's own text is for a
 * gateway that is not described yet.
 */
export const gatewayNotFound = (absence: 'not-described' | 'removed') =>
  absence === 'removed'
    ? new Problem('gateway-not-found', { detail: gatewayRemoved })
    : new Problem('gateway-not-found');

const gatewayRemoved =
  'The gateway was removed, and its data was deleted. If it is installed again, `GET /hvacs` lists it.';

/** Names in a body can be long: a pointer that is too long is shortened to an enclosing part. */
const cut = ({ pointer, detail }: Fault): Fault => ({
  pointer: fitting(pointer.split('/')).join('/'),
  detail: cutText(detail),
});

const fitting = (segments: readonly string[]): readonly string[] => {
  let length = -1;
  const tooLong = segments.findIndex((segment) => {
    length += 1 + segment.length;
    return length > maxTextCharacters;
  });
  return tooLong < 0 ? segments : segments.slice(0, tooLong);
};

/**
 * The API's problem for each of API Gateway's own responses. Types that need an authorizer, an API Gateway key or a request
 * validator cannot occur, since no method has one; they are listed so that no response ever has API Gateway's own format.
 */
export const gatewayProblems: Readonly<Record<string, ProblemCode>> = {
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
