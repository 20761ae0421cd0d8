import type { MiddlewareObj, Request } from '@middy/core';
import type { APIGatewayProxyResult } from 'aws-lambda';
import type { EventContent, RequestEvent } from '../api/log-events/request-event.ts';
import { decisionOf } from '../api/metrics.ts';
import type { ProblemDefinition } from '../api/problems/definition.ts';
import { LostEventsProblem, Problem, problemBody, problemMediaType, problems } from '../api/problems.ts';
import { commonHeaders } from '../api/version.ts';
import { isStoreUnavailable } from '../data/store/attempts.ts';
import type { StoreCall } from '../data/store/store.ts';
import type { TokenDecision } from '../data/token-buckets.ts';
import { defaultKeyOptions } from '../domain/api-key.ts';
import { rateLimitHeaders } from '../domain/rate-limits.ts';
import { toTimestamp } from '../domain/time.ts';
import { faultFields, writeEvent } from '../runtime/log-lines.ts';
import type { Authenticated, WithCompany } from './authentication.ts';
import type { Bucket, WithBucket, WithTokenDecision } from './rate-limit.ts';
import type { Arrival, NamedEndpoint, WellFormed } from './request.ts';

/** A request that has been answered: its arrival, and what its steps have added until one refused it or failed. */
type Ended = Arrival & Partial<WellFormed & Authenticated & WithCompany & WithBucket & WithTokenDecision>;

type MiddyRequest = Request<Ended, APIGatewayProxyResult>;

/**
 * The middleware that adds headers and a log line to every answer, refusals and failures included. Its hooks return
 * nothing: any value would end the chain.
 */
export const everyAnswer = (endpoint: NamedEndpoint): MiddlewareObj<Arrival, APIGatewayProxyResult> => {
  const writeRequestEvent = requestLog(endpoint);
  return {
    after: async (request) => {
      addHeaders(request, endpoint, await settle(request.event));
      writeRequestEvent(request);
    },
    onError: async (request) => {
      const tokenDecision = await settle(request.event);
      answerProblem(request);
      addHeaders(request, endpoint, tokenDecision);
      writeRequestEvent(request);
    },
  };
};

/** Carries a problem out of the chain: middy stages refuse by throwing. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.code);
    this.problem = problem;
  }
}

/**
 * Waits for what the request has started but not awaited: a function is frozen after its answer. A token that was consumed
 * before a refusal is included in the headers.
 */
const settle = async ({ notes, tokenAhead, tokenDecision }: Ended): Promise<TokenDecision | undefined> => {
  await Promise.allSettled(notes.begun);
  return tokenDecision ?? tokenAhead?.catch(() => undefined);
};

/**
 * Converts what was thrown into an answer: a problem as it is, an unavailable store as 503, anything else as 500 without
 * its cause.
 */
const answerProblem = (request: MiddyRequest): void => {
  const { code, occurrence, headers } = toProblem(request.error);
  const definition: ProblemDefinition = problems[code];
  request.response = {
    statusCode: definition.status,
    headers: { 'Content-Type': problemMediaType, ...definition.headers, ...headers },
    body: JSON.stringify(problemBody(code, request.event.requestId, occurrence)),
  };
};

const toProblem = (error: unknown): Problem => {
  if (error instanceof RefusedError) return error.problem;
  return new Problem(isStoreUnavailable(error) ? 'service-unavailable' : 'internal-error');
};

const addHeaders = (
  { response, event }: MiddyRequest,
  endpoint: NamedEndpoint,
  tokenDecision: TokenDecision | undefined,
): void => {
  if (!response) return;
  response.headers = {
    ...commonHeaders(event.requestId),
    ...authenticatedHeaders(event, bucketOf(event, endpoint), tokenDecision),
    ...response.headers,
  };
};

/** Returns the headers of every authenticated answer: the key's expiry and the status of the token bucket. */
const authenticatedHeaders = (
  { key, nowMs }: Ended,
  { ratePolicy, seenArrivalMs }: Omit<Bucket, 'rateLimitKey'>,
  tokenDecision: TokenDecision | undefined,
) => {
  if (!key) return {};
  return {
    'x-api-key-expires-at': toTimestamp(key.expiresAtMs),
    ...rateLimitHeaders(ratePolicy, tokenDecision?.arrivalMs ?? seenArrivalMs, nowMs),
  };
};

/** Returns the bucket of a request; before `bucketChoice` it is the request's own. */
const bucketOf = ({ bucket, rateLimitKey, seenArrivalMs = 0 }: Ended, { ratePolicy }: NamedEndpoint) =>
  bucket ?? { rateLimitKey, ratePolicy, seenArrivalMs };

/**
 * Writes one log event per request: when, who, for whom, which operation, the decision and the durations, with the metrics
 * derived from them. It contains the key's id but not the key, and an error only if the fault is ours.
 */
const requestLog = (endpoint: NamedEndpoint) => {
  const initMs = Math.round(performance.now());
  let isColdStart = true;
  const readMemoryMb = memoryReader();

  return ({ event: ended, response, error }: MiddyRequest): void => {
    const { requestId, nowMs, environment, startedMs, storeCalls } = ended;
    const problem = error && toProblem(error);
    const decision = decisionOf(problem?.code);
    const durationMs = Math.round(performance.now() - startedMs);
    const given = { endpoint, ended, problem, decision };
    const event = {
      level: decision === 'failed' ? 'ERROR' : 'INFO',
      requestId,
      operation: endpoint.operationId,
      decision,
      reason: problem?.code,
      status: response?.statusCode,
      ...callerFields(given),
      durationMs,
      storeMs: decision === 'failed' || durationMs >= slowRequestMs ? timesByCommand(storeCalls) : undefined,
      memoryMb: readMemoryMb(),
      ...(error && !(error instanceof RefusedError) && faultFields(error)),
      InitMs: isColdStart ? initMs : undefined,
      ...requestMetrics(given),
    } satisfies EventContent<RequestEvent>;
    writeEvent(environment, nowMs, event);
    isColdStart = false;
  };
};

type Logged = {
  readonly endpoint: NamedEndpoint;
  readonly ended: Ended;
  readonly problem: Problem | null | undefined;
  readonly decision: ReturnType<typeof decisionOf>;
};

/** Who called, on whose behalf, and at which bucket, as far as the request came. */
const callerFields = ({ endpoint, ended, decision }: Logged) => {
  const { key, contract, pathIds } = ended;
  const { ratePolicy, rateLimitKey } = bucketOf(ended, endpoint);
  return {
    // Without a key, the limit on invalid keys refused the request, which is not a rate policy.
    ratePolicy: decision === 'limited' && key ? ratePolicy : undefined,
    companyId: key?.companyId,
    keyId: key?.keyId,
    keyAccess: key && key.access !== defaultKeyOptions.access ? key.access : undefined,
    keyLabel: key?.label ?? undefined,
    userId: endpoint.onBehalfOfUser ? contract?.userId : undefined,
    gatewayId: decision === 'allowed' ? undefined : pathIds?.gatewayId,
    path: rateLimitKey?.path,
  };
};

const requestMetrics = ({ endpoint, ended, problem, decision }: Logged): Partial<RequestEvent> => {
  const { operationId, countedAs } = endpoint;
  const { key, environment, notes } = ended;
  const isAllowed = decision === 'allowed';
  const isCanary = key?.companyId === environment.setting('canaryCompanyId');
  const hasChanged = ended.storeCalls.some(isChange);
  return {
    // Each byte is billed, and API Gateway counts all requests for free.
    Requests: isAllowed ? undefined : 1,
    CanaryServed: isCanary && isAllowed ? 1 : undefined,
    AuditWriteFailures: hasChanged ? (decision === 'failed' ? 1 : 0) : undefined,
    LostFeedPages: operationId === 'listEvents' ? (problem instanceof LostEventsProblem ? 1 : 0) : undefined,
    ...(countedAs && isAllowed && hasChanged && { [notes.isRepeat ? 'keysShownAgain' : countedAs]: 1 }),
  };
};

const bytesPerMegabyte = 1024 ** 2;
const memoryEveryMs = 60_000;

/**
 * Returns a function that reads the resident memory once a minute, and returns undefined in between: log events are billed by
 * the byte.
 */
const memoryReader = () => {
  let nextMs = 0;
  return (): number | undefined => {
    const nowMs = performance.now();
    if (nowMs < nextMs) return undefined;
    nextMs = nowMs + memoryEveryMs;
    return Math.ceil(process.memoryUsage.rss() / bytesPerMegabyte);
  };
};

/** From this duration on, the log event shows the time of each store command. */
const slowRequestMs = 100;

/** Every change is a transaction, which includes its audit row. */
const isChange = ({ command }: StoreCall) => command === 'TransactWriteItems';

/** `{ BatchGetItem: [3], PutItem: [2, 4] }` */
const timesByCommand = (calls: readonly StoreCall[]): Record<string, number[]> => {
  const times: Record<string, number[]> = {};
  for (const { command, durationMs } of calls) times[command] = [...(times[command] ?? []), durationMs];
  return times;
};
