import type { MiddlewareObj, Request } from '@middy/core';
import type { APIGatewayProxyResult } from 'aws-lambda';
import type { EventContent, RequestEvent } from '../api/log-events/request-event.ts';
import { decisionOf } from '../api/metrics.ts';
import type { ProblemDefinition } from '../api/problems/definition.ts';
import { LostEventsProblem, Problem, problemBody, problemMediaType, problems } from '../api/problems.ts';
import { commonHeaders } from '../api/version.ts';
import { isStoreUnavailable } from '../data/store/attempts.ts';
import type { StoreCall } from '../data/store/store.ts';
import { usualOptions } from '../domain/api-key.ts';
import { faultFields, writeEvent } from '../domain/log-events.ts';
import { rateLimitHeaders } from '../domain/rate-limits.ts';
import { toTimestamp } from '../domain/time.ts';
import type { Arrival, NamedEndpoint, Notes } from './request.ts';

type MiddyRequest = Request<Arrival, APIGatewayProxyResult>;

/**
 * What every answer gets, refusals and failures too: its headers and its line in the log. Its hooks return nothing: any value
 * would end the chain.
 */
export const everyAnswer = (endpoint: NamedEndpoint): MiddlewareObj<Arrival, APIGatewayProxyResult> => {
  const writeRequestEvent = requestLog(endpoint);
  return {
    after: async (request) => {
      await settle(request.event.notes);
      addHeaders(request);
      writeRequestEvent(request);
    },
    onError: async (request) => {
      await settle(request.event.notes);
      answerProblem(request);
      addHeaders(request);
      writeRequestEvent(request);
    },
  };
};

/** Carries a problem out of the chain: middy refuses by throwing. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.code);
    this.problem = problem;
  }
}

/**
 * Waits for what was begun and the request did not wait for: a function that has answered is frozen. A token that was
 * consumed ahead of a refusal shows in the headers like any other.
 */
const settle = async (notes: Notes): Promise<void> => {
  const [ahead] = await Promise.allSettled([notes.tokenAhead, ...notes.begun]);
  notes.tokenDecision ??= ahead.status === 'fulfilled' ? ahead.value : undefined;
};

/** Answers what was thrown: a problem as it is, a failing store as 503, anything else as 500 without its cause. */
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

const addHeaders = ({ response, event }: MiddyRequest): void => {
  if (!response) return;
  response.headers = { ...commonHeaders(event.requestId), ...authenticatedHeaders(event), ...response.headers };
};

/** What every authenticated answer has: the key's expiry and the bucket's status. */
const authenticatedHeaders = ({ notes, nowMs }: Arrival) => {
  const { key, ratePolicy, tokenDecision, seenArrivalMs = 0 } = notes;
  if (!key || !ratePolicy) return {};
  return {
    'x-api-key-expires-at': toTimestamp(key.expiresAtMs),
    ...rateLimitHeaders(ratePolicy, tokenDecision?.arrivalMs ?? seenArrivalMs, nowMs),
  };
};

/**
 * Writes one event per request: when, who, for whom, at what, how it was decided and what took how long, with the metrics
 * that follow from it. It names the key by its id only, and shows an error only if it is ours.
 */
const requestLog = ({ operationId, onBehalfOfUser, countedAs }: NamedEndpoint) => {
  const initMs = Math.round(performance.now());
  let isColdStart = true;

  return ({ event: arrival, response, error }: MiddyRequest): void => {
    const { requestId, nowMs, environment, startedMs, storeCalls } = arrival;
    const { key, contract, gatewayId, path, ratePolicy, isRepeat } = arrival.notes;
    const problem = error && toProblem(error);
    const decision = decisionOf(problem?.code);
    const isCanary = key?.companyId === environment.setting('canaryCompanyId');
    const hasChanged = storeCalls.some(isChange);
    const durationMs = Math.round(performance.now() - startedMs);
    const event = {
      level: decision === 'failed' ? 'ERROR' : 'INFO',
      requestId,
      operation: operationId,
      decision,
      reason: problem?.code,
      // Without a key it was the bound on invalid keys, which is no rate policy.
      ratePolicy: decision === 'limited' && key ? ratePolicy : undefined,
      status: response?.statusCode,
      companyId: key?.companyId,
      keyId: key?.keyId,
      keyAccess: key && key.access !== usualOptions.access ? key.access : undefined,
      keyLabel: key?.label ?? undefined,
      userId: onBehalfOfUser ? contract?.userId : undefined,
      gatewayId: decision === 'allowed' ? undefined : gatewayId,
      path,
      durationMs,
      storeMs: decision === 'failed' || durationMs >= slowRequestMs ? timesByCommand(storeCalls) : undefined,
      memoryMb: Math.ceil(process.memoryUsage.rss() / bytesPerMegabyte),
      ...(error && !(error instanceof RefusedError) && faultFields(error)),
      // Each byte is paid for, and API Gateway counts all requests for nothing.
      Requests: decision === 'allowed' ? undefined : 1,
      CanaryServed: isCanary && decision === 'allowed' ? 1 : undefined,
      InitMs: isColdStart ? initMs : undefined,
      AuditWriteFailures: hasChanged ? (decision === 'failed' ? 1 : 0) : undefined,
      LostFeedPages: operationId === 'listEvents' ? (problem instanceof LostEventsProblem ? 1 : 0) : undefined,
      ...(countedAs && decision === 'allowed' && hasChanged && { [isRepeat ? 'keysShownAgain' : countedAs]: 1 }),
    } satisfies EventContent<RequestEvent>;
    writeEvent(environment, nowMs, event);
    isColdStart = false;
  };
};

const bytesPerMegabyte = 1024 ** 2;

/** From here on, an event tells where the time went. */
const slowRequestMs = 100;

/** All that is put on record is a transaction, and each of those holds its audit row. */
const isChange = ({ command }: StoreCall) => command === 'TransactWriteItems';

/** `{ BatchGetItem: [3], UpdateItem: [2, 4] }` */
const timesByCommand = (calls: readonly StoreCall[]): Record<string, number[]> => {
  const times: Record<string, number[]> = {};
  for (const { command, durationMs } of calls) times[command] = [...(times[command] ?? []), durationMs];
  return times;
};
