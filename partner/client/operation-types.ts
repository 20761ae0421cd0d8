// If this module is missing, run `npm run generate`: it is not in git.
import type { operations } from './generated/types.ts';

/** The name of an operation: its `operationId` in the API document. */
export type OperationId = keyof operations;

type ParametersOf<Id extends OperationId> = operations[Id]['parameters'];

/** The operations that act for the company itself and need no owner. */
export type CompanyOperationId = {
  [Id in OperationId]: ParametersOf<Id> extends { header: { 'x-user-id': string } } ? never : Id;
}[OperationId];

/** A section of a request: required if one of its members is required, absent if it has no members. */
type Section<Name extends string, Content> = [keyof Content] extends [never]
  ? unknown
  : Record<never, never> extends Content
    ? { readonly [Key in Name]?: Content }
    : { readonly [Key in Name]: Content };

/** A change may be conditional on an ETag, or on the number of a version. */
type WithVersions<Headers> = { [Name in keyof Headers]: Headers[Name] | (Name extends 'If-Match' ? number : never) };

type Given<Content> = [NonNullable<Content>] extends [never] ? unknown : NonNullable<Content>;

/**
 * The request of an operation: `path`, `query`, `headers` and `body`, each required exactly if the API document requires it.
 * The client adds `x-api-key` and `x-user-id`.
 */
export type RequestOf<Id extends OperationId> = Section<'path', Given<ParametersOf<Id>['path']>> &
  Section<'query', Given<ParametersOf<Id>['query']>> &
  Section<'headers', WithVersions<Omit<Given<ParametersOf<Id>['header']>, 'x-user-id'>>> &
  (operations[Id] extends { requestBody: { content: { 'application/json': infer Body } } }
    ? { readonly body: Body }
    : NonNullable<operations[Id]['requestBody']> extends { content: { 'application/json': infer Body } }
      ? Section<'body', Body>
      : unknown);

type ProblemContent<Problem = unknown> = { content: { 'application/problem+json': Problem } };

type ResponsesOf<Id extends OperationId> = operations[Id]['responses'];

type StatusOf<Id extends OperationId> = keyof ResponsesOf<Id> & number;

type SuccessStatusOf<Id extends OperationId> = {
  [Status in StatusOf<Id>]: ResponsesOf<Id>[Status] extends ProblemContent ? never : Status;
}[StatusOf<Id>];

type SuccessOf<Id extends OperationId> = ResponsesOf<Id>[SuccessStatusOf<Id>];

/** The body of a success; undefined if the operation answers without one. */
export type BodyOf<Id extends OperationId> =
  SuccessOf<Id> extends { content: { 'application/json': infer Body } } ? Body : undefined;

/** The headers of a success, by lower-case name. */
type HeadersOf<Id extends OperationId> =
  SuccessOf<Id> extends { headers: infer Headers }
    ? { readonly [Name in keyof Headers as string extends Name ? never : Lowercase<Name & string>]: string }
    : never;

/** Every problem that the API document lists for an operation, discriminated by `code`. */
export type DocumentedProblem<Id extends OperationId> = {
  [Status in StatusOf<Id>]: ResponsesOf<Id>[Status] extends ProblemContent<infer Problem> ? Problem : never;
}[StatusOf<Id>];

/** The result of a call, discriminated by `ok`: a success with its `body`, or a refusal with `problem.code` as its reason. */
export type Answer<Id extends OperationId> = Success<Id> | Refusal<Id>;

/** The answer to a call that succeeded. */
export type Success<Id extends OperationId> = CommonHeaders & {
  readonly ok: true;
  readonly status: SuccessStatusOf<Id>;
  readonly headers: HeadersOf<Id>;
  readonly body: BodyOf<Id>;
};

/** The answer to a call that failed: the service refused it, a proxy answered, or no answer arrived. */
export type Refusal<Id extends OperationId> = CommonHeaders & {
  readonly ok: false;
  /** Why the call failed. */
  readonly problem: DocumentedProblem<Id> | UnknownAnswer | NoAnswer;
  /** The seconds after which the service no longer refuses the request for the same reason. Undefined if unknown. */
  readonly retryAfterSeconds: number | undefined;
};

/** The headers that any answer may have. */
export type CommonHeaders = {
  /** The id of the request. Quote it when you contact the operator. */
  readonly requestId: string | undefined;
  /** The time at which the API key of the call expires (RFC 3339, UTC). */
  readonly apiKeyExpiresAt: string | undefined;
  /** The state of the rate limit after the call. */
  readonly rateLimit: RateLimit | undefined;
};

/** The state of the token bucket of an operation and its path after a call. */
export type RateLimit = {
  /** The name of the rate policy. */
  readonly policy: string;
  /** The number of requests that are allowed now. */
  readonly remaining: number;
  /** The seconds until one more request is allowed. */
  readonly nextInSeconds: number;
};

/**
 * An answer that this version's API document does not describe: from a proxy, or with a problem that is newer than this
 * client. If it is a problem, `title` and `detail` are those of the problem.
 */
export type UnknownAnswer = {
  readonly code: 'unknown-answer';
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  /** The parsed body if it is JSON, otherwise the text of the body. */
  readonly body: unknown;
};

/** The connection failed or timed out. `cause` is the error of `fetch`. */
export type NoAnswer = {
  readonly code: 'no-answer';
  readonly status: undefined;
  readonly title: string;
  readonly detail: string;
  readonly cause: unknown;
};
