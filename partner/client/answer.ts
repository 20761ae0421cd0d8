import type { BodyOf, DocumentedProblem, HeadersOf, OperationId, SuccessStatusOf } from './operation-types.ts';

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
