import type { BodyOf, DocumentedProblem, HeadersOf, OperationId, SuccessStatusOf } from './operation-types.ts';

/** A call ends in one of two ways; `ok` tells which, and `problem.code` why it was not done. */
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
  /** A request that is sent after this long is not refused for the same cause again. */
  readonly retryAfterSeconds: number | undefined;
};

/** What answers say beside their content, as far as this one does. */
export type Said = {
  /** The id of the request; the operator asks for it. */
  readonly requestId: string | undefined;
  /** When the key in use expires: RFC 3339, UTC. */
  readonly apiKeyExpiresAt: string | undefined;
  readonly rateLimit: RateLimit | undefined;
};

/** The token bucket of the operation and its path after the call. */
export type RateLimit = { readonly policy: string; readonly remaining: number; readonly nextInSeconds: number };

/**
 * An answer that the API document of this version does not have: from a proxy on the way, or a problem that is newer than
 * the client. Its title and detail are the answer's own where it is a problem.
 */
export type UnknownAnswer = {
  readonly code: 'unknown-answer';
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  /** The body as it came: parsed if it is JSON, else the text. */
  readonly body: unknown;
};

/** The connection was lost, or there never was one. */
export type NoAnswer = {
  readonly code: 'no-answer';
  readonly status: undefined;
  readonly title: string;
  readonly detail: string;
  readonly cause: unknown;
};
