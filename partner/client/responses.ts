import type {
  Answer,
  CommonHeaders,
  NoAnswer,
  OperationId,
  RateLimit,
  Refusal,
  UnknownAnswer,
} from './operation-types.ts';
import type { Operation } from './request.ts';

type Content = { readonly mediaType: string; readonly text: string; readonly json: unknown };

/** Reads an answer. Checks status, media type and problem code against the API document; does not validate bodies. */
export const readAnswer = async (operation: Operation, response: Response): Promise<Answer<OperationId>> => {
  const { status, headers } = response;
  const content = await readContent(response);
  const said = commonHeadersIn(headers);
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
  // RFC 9110, 8.3.1: media types are case-insensitive, and there may be whitespace around parameters.
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
  title: memberOf(json, 'title') ?? `Status ${status} is not a documented answer of this operation`,
  detail:
    memberOf(json, 'detail') ??
    `Expected a success or a problem of the operation, but received status ${status} with ${mediaType || 'no content'}. Check that the baseUrl is the URL of the API, and whether a proxy answered.`,
  body: json === undefined ? text : json,
});

const memberOf = (json: unknown, name: string): string | undefined => {
  const member = (json as Record<string, unknown> | null | undefined)?.[name];
  return typeof member === 'string' ? member : undefined;
};

const commonHeadersIn = (headers: Headers): CommonHeaders => ({
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
 * Returns the seconds of Retry-After (RFC 9110, 10.2.3), which is a number or a date. Returns undefined if the header is absent
 * or malformed, zero, or a date in the past.
 */
const retryAfterSecondsIn = (headers: Headers): number | undefined => {
  const field = (headers.get('retry-after') ?? '').trim();
  const seconds = /^[\d.]+$/.test(field) ? Number(field) : (httpDate(field) - Date.now()) / 1000;
  return seconds > 0 ? seconds : undefined;
};

/**
 * Parses a date in one of the three formats of HTTP. Returns milliseconds since 1970, or NaN for any other text. All three are
 * in GMT, but one of them does not name the time zone.
 */
const httpDate = (field: string): number =>
  /^[A-Z][a-z]+,? /.test(field) ? Date.parse(field.replace(/( GMT)?$/, ' GMT')) : Number.NaN;

/** Returns the answer of a call whose connection failed. `cause` is the error of fetch. */
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

/** Whether the connection failed because of a certificate, so that a retry does not help. */
const isCertificateFault = (cause: unknown): boolean => /CERT|VERIFY/.test(reasonIn(cause)?.code ?? '');

const whatToDo = (isRepeatable: boolean, cause: unknown): string => {
  if (isCertificateFault(cause)) return 'Check the baseUrl and the certificate authorities that this process trusts.';
  return isRepeatable
    ? 'Call again later.'
    : 'The operation may or may not have been carried out. Read the current state before you call again.';
};

const reasonOf = (cause: unknown): string => reasonIn(cause)?.message ?? (cause as Error).message;

type Reason = { readonly code?: string; readonly message?: string };

/** Node.js has the reason of a failed connection in `cause`; other platforms do not expose it. */
const reasonIn = (cause: unknown): Reason | undefined => (cause as { cause?: Reason }).cause;

type RetryOptions = { readonly isRepeatable: boolean; readonly forever: boolean };

/**
 * Returns the seconds to wait before a retry, or undefined if the call should return its answer. The service answers 429 before
 * it does anything, so every request may be retried. After 502, 503, 504 or without an answer, only repeatable requests may
 * be. `attempt` is the number of the retry, from 1.
 */
export const secondsUntilRepeat = (
  answer: Answer<OperationId>,
  options: RetryOptions,
  attempt: number,
): number | undefined => {
  if (answer.ok || !isWorthRepeating(answer.problem, options)) return undefined;
  return Math.min(answer.retryAfterSeconds ?? backOffSeconds(attempt), longestRetrySeconds);
};

/** A proxy may say a time that is of no use to a call without end. */
const longestRetrySeconds = 3600;

const isWorthRepeating = (
  problem: Refusal<OperationId>['problem'],
  { isRepeatable, forever }: RetryOptions,
): boolean => {
  if (problem.status === 429) return true;
  if (problem.code === 'no-answer') return isRepeatable && !isCertificateFault(problem.cause);
  return isRepeatable && (unavailable.includes(problem.status) || (forever && problem.status === 500));
};

/** The service is unavailable, or a proxy cannot reach it. */
const unavailable: readonly number[] = [502, 503, 504];

/** One second on average, doubled with each retry. The jitter spreads clients that were refused at the same time. */
const backOffSeconds = (attempt: number): number => 2 ** Math.min(attempt - 1, 6) * (0.5 + Math.random());

/** Waits for a number of seconds. Rejects with the signal's reason when the signal aborts. */
export type Wait = (seconds: number, signal: AbortSignal | undefined) => Promise<void>;

/** Waits on a timer; the default of the client. */
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

/** Longer timers would fire at once. */
const longestTimerMs = 2 ** 31 - 1;
