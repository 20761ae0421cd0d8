import type { Answer, NoAnswer, OperationId, RateLimit, Refusal, Said, UnknownAnswer } from './operation-types.ts';
import type { Operation } from './request.ts';

type Content = { readonly mediaType: string; readonly text: string; readonly json: unknown };

/** Reads an answer. Checks status, media type and `code` against the API document, and does not check bodies. */
export const readAnswer = async (operation: Operation, response: Response): Promise<Answer<OperationId>> => {
  const { status, headers } = response;
  const content = await readContent(response);
  const said = saidIn(headers);
  if (isSuccess(operation, status, content))
    return {
      ok: true,
      status,
      headers: Object.fromEntries(headers),
      body: content.json,
      ...said,
    } as Answer<OperationId>;
  const problem = isProblem(operation, content) ? content.json : unknownAnswer(status, content);
  return { ok: false, problem, retryAfterSeconds: retryAfterSecondsIn(headers), ...said } as Refusal<OperationId>;
};

const readContent = async (response: Response): Promise<Content> => {
  const [mediaType = ''] = (response.headers.get('content-type') ?? '').split(';');
  const text = await response.text();
  return { mediaType, text, json: mediaType.endsWith('json') ? parseJson(text) : undefined };
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const isSuccess = ({ successStatus }: Operation, status: number, { mediaType, json }: Content): boolean =>
  status === successStatus && (status === 204 || (mediaType === 'application/json' && json !== undefined));

const isProblem = ({ problemCodes }: Operation, { mediaType, json }: Content): boolean =>
  mediaType === 'application/problem+json' && problemCodes.includes(memberOf(json, 'code') ?? '');

const unknownAnswer = (status: number, { mediaType, text, json }: Content): UnknownAnswer => ({
  code: 'unknown-answer',
  status,
  title: memberOf(json, 'title') ?? `The API document has no answer ${status} of this operation`,
  detail:
    memberOf(json, 'detail') ?? `Expected a success or a problem of the operation, got ${mediaType || 'no content'}.`,
  body: json === undefined ? text : json,
});

const memberOf = (json: unknown, name: string): string | undefined => {
  const member = (json as Record<string, unknown> | null | undefined)?.[name];
  return typeof member === 'string' ? member : undefined;
};

const saidIn = (headers: Headers): Said => ({
  requestId: headers.get('x-request-id') ?? undefined,
  apiKeyExpiresAt: headers.get('x-api-key-expires-at') ?? undefined,
  rateLimit: rateLimitIn(headers.get('ratelimit') ?? ''),
});

const rateLimitIn = (field: string): RateLimit | undefined => {
  const [, policy, remaining, nextInSeconds] = /^"([\w-]+)";r=(\d+);t=(\d+)$/.exec(field) ?? [];
  if (policy === undefined) return undefined;
  return { policy, remaining: Number(remaining), nextInSeconds: Number(nextInSeconds) };
};

/** The value of Retry-After: whole seconds, at least 1, as the API sends it. Other forms, which a proxy may send, are ignored. */
const retryAfterSecondsIn = (headers: Headers): number | undefined => {
  const field = headers.get('retry-after') ?? '';
  return /^[1-9]\d*$/.test(field) ? Number(field) : undefined;
};

/** The answer of a call that got none. `cause` is the error of fetch. */
export const noAnswer = (isRepeatable: boolean, cause: unknown): Refusal<OperationId> => {
  const problem: NoAnswer = {
    code: 'no-answer',
    status: undefined,
    title: 'The connection failed',
    detail: `${reasonOf(cause)}. ${whatToDo(isRepeatable, cause)}`,
    cause,
  };
  return {
    ok: false,
    problem,
    retryAfterSeconds: undefined,
    requestId: undefined,
    apiKeyExpiresAt: undefined,
    rateLimit: undefined,
  };
};

/** Whether the connection failed because of a certificate; then a repeat does not help. */
const isCertificateFault = (cause: unknown): boolean => /CERT|VERIFY/.test(reasonIn(cause)?.code ?? '');

const whatToDo = (isRepeatable: boolean, cause: unknown): string => {
  if (isCertificateFault(cause)) return 'Check the baseUrl, and which authorities this process trusts.';
  return isRepeatable
    ? 'Call again later.'
    : 'Nobody knows whether it was done. Read the current state before you call again.';
};

const reasonOf = (cause: unknown): string => reasonIn(cause)?.message ?? (cause as Error).message;

type Reason = { readonly code?: string; readonly message?: string };

/** Node.js states in `cause` why a connection failed; other platforms do not state it. */
const reasonIn = (cause: unknown): Reason | undefined => (cause as { cause?: Reason }).cause;

/** A lost connection does not say how long to wait. */
const secondsAfterLostConnection = 1;

/**
 * The number of seconds after which to send a request again, or undefined if the call should return its answer. The service
 * refuses with 429 before it does anything, so every request may be sent again. After a 503 or without an answer, only a
 * repeatable request may be.
 */
export const secondsUntilRepeat = (answer: Answer<OperationId>, isRepeatable: boolean): number | undefined => {
  if (answer.ok) return undefined;
  const { problem, retryAfterSeconds } = answer;
  if (problem.status === 429) return retryAfterSeconds;
  if (problem.status === 503 && isRepeatable) return retryAfterSeconds;
  if (problem.code === 'no-answer' && isRepeatable && !isCertificateFault(problem.cause))
    return secondsAfterLostConnection;
  return undefined;
};

export type Wait = (seconds: number, signal: AbortSignal | undefined) => Promise<void>;

/** Waits. Rejects with the reason of the signal, as fetch does. */
export const wait: Wait = (seconds, signal) =>
  new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, seconds * 1000);
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted) abort();
  });
