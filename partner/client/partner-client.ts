import { type EventsOptions, eventsOf, type FeedEvent, type FeedReader } from './events.ts';
import type { Answer, CompanyOperationId, OperationId, Refusal, RequestOf } from './operation-types.ts';
import {
  checkedApiKey,
  checkedBaseUrl,
  checkedSeconds,
  checkedUserId,
  type Operation,
  operationOf,
  type Prepared,
  prepareRequest,
  type RequestParts,
} from './request.ts';
import { noAnswer, readAnswer, secondsUntilRepeat, type Wait, wait as waitOnTimer } from './responses.ts';

export type ClientOptions = {
  /** The URL of the API with its version, for example `https://api.example.com/v1`. */
  readonly baseUrl: string;
  /** The API key of your company. */
  readonly apiKey: string;
  /**
   * The owner to act for: a `userId` from `listContracts`. Without it, the client has only the operations that need no owner.
   */
  readonly userId?: string;
  /**
   * The total time that a call may wait for retries after 429, 502, 503, 504 or a failed connection, by default 30 seconds. A
   * call that would wait longer returns the last answer.
   */
  readonly patienceSeconds?: number;
  /** The timeout of a single request: at most a day, by default 10 seconds. A request that times out counts as a failed connection. */
  readonly timeoutSeconds?: number;
  /** Sends the requests, for example through a proxy. By default the global `fetch`. */
  readonly fetch?: typeof fetch;
  /** Is called before each wait for a retry, for example to log it: a call may wait as long as its patience. */
  readonly onRetry?: (retry: Retry) => void;
  /** Waits between retries. By default a timer; tests may replace it. */
  readonly wait?: Wait;
};

/** A retry for which a call begins to wait. */
export type Retry = {
  readonly operationId: OperationId;
  /** Why the call retries. */
  readonly problem: Refusal<OperationId>['problem'];
  /** The number of the retry, from 1. */
  readonly attempt: number;
  readonly waitSeconds: number;
};

/** Options of a single call. */
export type CallOptions = {
  /** An API key for this call only. */
  readonly apiKey?: string;
  /** Aborts the call, including its waits. The call rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Retries as long as the service is unavailable, whatever the client's patience; also after a 500. */
  readonly forever?: boolean;
};

/** The second argument of a call: the request and options. Optional if no part of the request is required. */
export type CallArguments<Id extends OperationId> =
  Record<never, never> extends RequestOf<Id>
    ? [request?: RequestOf<Id> & CallOptions]
    : [request: RequestOf<Id> & CallOptions];

/** A client of the Partner API. Create one with `createPartnerClient`. */
export type PartnerClient<Known extends OperationId = OperationId> = {
  /**
   * Calls an operation by its `operationId` in the API document. Retries within the client's patience after 429; requests with
   * GET or an `Idempotency-Key` also after 502, 503, 504 or a failed connection.
   *
   * Returns an Answer; check `ok` before you use the body. A failed connection is an answer too (`no-answer`). Rejects with
   * TypeError if an argument is invalid, and with the signal's reason if the call was aborted.
   */
  readonly call: <Id extends Known>(operationId: Id, ...request: CallArguments<Id>) => Promise<Answer<Id>>;
  /** Returns a client for another owner. Both clients share the API key, including one set later with `useApiKey`. */
  readonly forOwner: (userId: string) => PartnerClient;
  /** Sets the API key of all later calls. Running calls keep their key. Throws TypeError if the key is malformed. */
  readonly useApiKey: (apiKey: string) => void;
  /**
   * Follows the event feed without end: `for await (const event of client.events(…))`. Delivers every event at least once and
   * in order, and calls `readState` whenever events alone do not reveal the state. Throws EventsError if the service refuses or
   * does not answer.
   */
  readonly events: (options: EventsOptions) => AsyncGenerator<FeedEvent, never, void>;
};

type OperationsWith<Options> = Options extends { userId: string } ? OperationId : CompanyOperationId;

/**
 * Creates a client of the Partner API. With a `userId` the client has all operations, without it only operations that need
 * no owner. Throws TypeError if an option is missing or malformed.
 */
export const createPartnerClient = <Options extends ClientOptions>(
  options: Options,
): PartnerClient<OperationsWith<Options>> => {
  const { fetch: send = fetch, wait = waitOnTimer, onRetry }: ClientOptions = options;
  const baseUrl = checkedBaseUrl(options.baseUrl);
  const patienceSeconds = checkedSeconds('patienceSeconds', options.patienceSeconds ?? 30);
  const timeoutSeconds = checkedSeconds('timeoutSeconds', options.timeoutSeconds ?? 10, 86_400);
  let currentKey = checkedApiKey(options.apiKey);
  if (!/\/v1\/?$/.test(baseUrl))
    console.warn(
      `The baseUrl is '${baseUrl}' and does not end with /v1. The base URL of the API does: check it if calls fail.`,
    );

  const call = async (
    userId: string | undefined,
    operationId: OperationId,
    { apiKey = currentKey, signal, forever = false, ...parts }: RequestParts & CallOptions = {},
  ) => {
    const operation = operationOf(operationId);
    const request = prepareRequest({ baseUrl, apiKey, userId }, operation, parts);
    const longestSeconds = forever ? Number.POSITIVE_INFINITY : patienceSeconds;
    for (let attempt = 1, waitedSeconds = 0; ; attempt++) {
      const answer = await sendOnce(send, operation, request, { signal, timeoutSeconds });
      const waitSeconds = secondsUntilRepeat(answer, { isRepeatable: request.isRepeatable, forever }, attempt);
      if (answer.ok || waitSeconds === undefined || waitedSeconds + waitSeconds > longestSeconds) return answer;
      onRetry?.({ operationId, problem: answer.problem, attempt, waitSeconds });
      await wait(waitSeconds, signal);
      waitedSeconds += waitSeconds;
    }
  };
  const useApiKey = (apiKey: string) => {
    currentKey = checkedApiKey(apiKey);
  };
  const clientFor = (userId: string | undefined): PartnerClient => {
    const callFor = call.bind(undefined, userId) as PartnerClient['call'];
    const listEvents: FeedReader['listEvents'] = (request) => callFor('listEvents', request);
    const forOwner = (owner: string) => clientFor(checkedUserId(owner));
    return { call: callFor, forOwner, useApiKey, events: (given) => eventsOf({ listEvents, wait }, given) };
  };
  return clientFor(checkedUserId(options.userId ?? ''));
};

type SendOptions = { readonly signal: AbortSignal | undefined; readonly timeoutSeconds: number };

const sendOnce = async (
  send: typeof fetch,
  operation: Operation,
  { url, init, isRepeatable }: Prepared,
  { signal, timeoutSeconds }: SendOptions,
): Promise<Answer<OperationId>> => {
  const timeout = AbortSignal.timeout(Math.round(timeoutSeconds * 1000));
  try {
    return await readAnswer(
      operation,
      await send(url, { ...init, signal: signal ? AbortSignal.any([signal, timeout]) : timeout }),
    );
  } catch (error) {
    // fetch throws TypeError if the connection fails. Compares the name, because fetch may come from another realm.
    if (signal?.aborted || (!timeout.aborted && (error as Error).name !== 'TypeError')) throw error;
    return noAnswer(isRepeatable, error);
  }
};
