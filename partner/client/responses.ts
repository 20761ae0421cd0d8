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
  const [field = ''] = (response.headers.get('content-type') ?? '').split(';');
  // RFC 9110, 8.3.1: a media type is compared without case, and spaces may stand around its parameters.
  const mediaType = field.trim().toLowerCase();
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
    memberOf(json, 'detail') ??
    `Expected a success or a problem of the operation, got status ${status} with ${mediaType || 'no content'}. Check that the baseUrl leads to the API, and what stands between you and the API.`,
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

/**
 * The number of seconds that Retry-After asks for (RFC 9110, 10.2.3): a number, or the time until a date. Undefined if there
 * is no such field, or if it has another form, zero or a date that has passed.
 */
const retryAfterSecondsIn = (headers: Headers): number | undefined => {
  const field = (headers.get('retry-after') ?? '').trim();
  const seconds = /^[\d.]+$/.test(field) ? Number(field) : (httpDate(field) - Date.now()) / 1000;
  return seconds > 0 ? seconds : undefined;
};

/** The milliseconds of a date in one of the three forms of HTTP; NaN of anything else. All are in GMT; one does not say so. */
const httpDate = (field: string): number =>
  /^[A-Z][a-z]+,? /.test(field) ? Date.parse(field.replace(/( GMT)?$/, ' GMT')) : Number.NaN;

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

/**
 * The number of seconds after which to send a request again, or undefined if the call should return its answer. The service
 * refuses with 429 before it does anything, so every request may be sent again. After a 502, a 503, a 504 or without an
 * answer, only a repeatable request may be. `attempt` counts the repeats so far.
 */
export const secondsUntilRepeat = (
  answer: Answer<OperationId>,
  isRepeatable: boolean,
  attempt: number,
): number | undefined => {
  if (answer.ok || !isWorthRepeating(answer.problem, isRepeatable)) return undefined;
  return answer.retryAfterSeconds ?? backOffSeconds(attempt);
};

const isWorthRepeating = (problem: Refusal<OperationId>['problem'], isRepeatable: boolean): boolean => {
  if (problem.status === 429) return true;
  if (problem.code === 'no-answer') return isRepeatable && !isCertificateFault(problem.cause);
  return isRepeatable && unavailable.includes(problem.status);
};

/** The service is away, or a proxy does not reach it. */
const unavailable: readonly number[] = [502, 503, 504];

/** A second on average, then twice as long each time. Clients that were refused together come back apart. */
const backOffSeconds = (attempt: number): number => 2 ** attempt * (0.5 + Math.random());

export type Wait = (seconds: number, signal: AbortSignal | undefined) => Promise<void>;

/** Waits. Rejects with the reason of the signal, as fetch does. */
export const wait: Wait = (seconds, signal) =>
  new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', abort);
        resolve();
      },
      Math.min(seconds * 1000, longestTimerMs),
    );
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted) abort();
  });

/** A timer of more milliseconds fires at once. */
const longestTimerMs = 2 ** 31 - 1;
