// If this module is missing, run `npm run generate`: it is not in git.
import type { operations } from './generated/types.ts';

export type OperationId = keyof operations;

type ParametersOf<Id extends OperationId> = operations[Id]['parameters'];

/** The operations that act for the company itself and for no owner. */
export type CompanyOperationId = {
  [Id in OperationId]: ParametersOf<Id> extends { header: { 'x-user-id': string } } ? never : Id;
}[OperationId];

/** A part of a request: required if one of its own parts is, absent if it has none. */
type Section<Name extends string, Content> = [keyof Content] extends [never]
  ? unknown
  : Record<never, never> extends Content
    ? { readonly [Key in Name]?: Content }
    : { readonly [Key in Name]: Content };

type Given<Content> = [NonNullable<Content>] extends [never] ? unknown : NonNullable<Content>;

/** The request of an operation. Each part is required exactly if the API document requires it; the client adds key and user id. */
export type RequestOf<Id extends OperationId> = Section<'path', Given<ParametersOf<Id>['path']>> &
  Section<'query', Given<ParametersOf<Id>['query']>> &
  Section<'headers', Omit<Given<ParametersOf<Id>['header']>, 'x-user-id'>> &
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

export type BodyOf<Id extends OperationId> =
  SuccessOf<Id> extends { content: { 'application/json': infer Body } } ? Body : undefined;

/** The headers of a success, by lower-case name. */
type HeadersOf<Id extends OperationId> =
  SuccessOf<Id> extends { headers: infer Headers }
    ? { readonly [Name in keyof Headers as string extends Name ? never : Lowercase<Name & string>]: string }
    : never;

/** Every problem that the API document has for an operation; `code` tells them apart. */
export type DocumentedProblem<Id extends OperationId> = {
  [Status in StatusOf<Id>]: ResponsesOf<Id>[Status] extends ProblemContent<infer Problem> ? Problem : never;
}[StatusOf<Id>];

/** The result of a call. `ok` says whether it succeeded, and `problem.code` why not. */
export type Answer<Id extends OperationId> = Success<Id> | Refusal<Id>;

export type Success<Id extends OperationId> = Said & {
  readonly ok: true;
  readonly status: SuccessStatusOf<Id>;
  readonly headers: HeadersOf<Id>;
  readonly body: BodyOf<Id>;
};

export type Refusal<Id extends OperationId> = Said & {
  readonly ok: false;
  readonly problem: DocumentedProblem<Id> | UnknownAnswer | NoAnswer;
  /** After this time the service does not refuse the request for the same cause again. */
  readonly retryAfterSeconds: number | undefined;
};

/** The headers that any answer may have. */
export type Said = {
  /** The id to name to the operator. */
  readonly requestId: string | undefined;
  /** When the key in use expires: RFC 3339, UTC. */
  readonly apiKeyExpiresAt: string | undefined;
  readonly rateLimit: RateLimit | undefined;
};

/** The state of the token bucket of the operation and its path after the call. */
export type RateLimit = { readonly policy: string; readonly remaining: number; readonly nextInSeconds: number };

/**
 * An answer that the API document of this version does not have: from a proxy on the way, or a problem that is newer than
 * the client. If it is a problem, title and detail are its own.
 */
export type UnknownAnswer = {
  readonly code: 'unknown-answer';
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  /** The parsed body if it is JSON, otherwise its text. */
  readonly body: unknown;
};

/** The connection was lost or could not be made. */
export type NoAnswer = {
  readonly code: 'no-answer';
  readonly status: undefined;
  readonly title: string;
  readonly detail: string;
  readonly cause: unknown;
};
