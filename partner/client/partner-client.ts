import { type EventsOptions, eventsOf, type FeedEvent, type FeedReader } from './events.ts';
import type { Answer, CompanyOperationId, OperationId, RequestOf } from './operation-types.ts';
import {
  checkedApiKey,
  type Operation,
  operationOf,
  type Prepared,
  prepareRequest,
  type RequestParts,
} from './request.ts';
import { noAnswer, readAnswer, secondsUntilRepeat, type Wait, wait as waitOnTimer } from './responses.ts';

export type ClientOptions = {
  /** For example `https://api.example.com/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** The owner to act for, as listContracts shows them. Without it, the client has only the operations that need no owner. */
  readonly userId?: string;
  /** How long a call may wait in all before it returns a 429, a 502, 503 or 504, or a lost connection. */
  readonly patienceSeconds?: number;
  /** How long a request may take before its connection counts as lost. */
  readonly timeoutSeconds?: number;
  readonly fetch?: typeof fetch;
  readonly wait?: Wait;
};

export type CallOptions = {
  /** A key for this call only. */
  readonly apiKey?: string;
  /** Ends the call, waits included; it rejects with the signal's reason. */
  readonly signal?: AbortSignal;
};

/** The second argument of a call. It is required if one of its parts is. */
export type CallArguments<Id extends OperationId> =
  Record<never, never> extends RequestOf<Id>
    ? [request?: RequestOf<Id> & CallOptions]
    : [request: RequestOf<Id> & CallOptions];

export type PartnerClient<Known extends OperationId = OperationId> = {
  /** Rejects only if the call is wrong or was aborted. Everything else is an answer, a lost connection too. */
  readonly call: <Id extends Known>(operationId: Id, ...request: CallArguments<Id>) => Promise<Answer<Id>>;
  /** The same client for another owner: it shares the key, also one that is set later. */
  readonly forOwner: (userId: string) => PartnerClient;
  /** Sets the key of all later calls. Calls that already run keep theirs. */
  readonly useApiKey: (apiKey: string) => void;
  /**
   * What happens, without an end: `for await (const event of client.events(…))`. Each event comes at least once, in its
   * order; `readState` is called whenever events alone do not tell the state. Throws EventsError if the service refuses.
   */
  readonly events: (options: EventsOptions) => AsyncGenerator<FeedEvent, never, void>;
};

type OperationsWith<Options> = Options extends { userId: string } ? OperationId : CompanyOperationId;

export const createPartnerClient = <Options extends ClientOptions>(
  options: Options,
): PartnerClient<OperationsWith<Options>> => {
  const { baseUrl, patienceSeconds = 30, timeoutSeconds = 10 }: ClientOptions = options;
  const { fetch: send = fetch, wait = waitOnTimer }: ClientOptions = options;
  if (!baseUrl.startsWith('https://'))
    throw new TypeError(
      `The baseUrl is '${baseUrl}' and has to begin with https://, since every request carries a key.`,
    );
  if (!/\/v1\/?$/.test(baseUrl))
    console.warn(
      `The baseUrl is '${baseUrl}' and does not end with /v1, as that of the API does. Check it if calls fail.`,
    );
  let currentKey = checkedApiKey(options.apiKey);

  const call = async (
    userId: string | undefined,
    operationId: OperationId,
    { apiKey = currentKey, signal, ...parts }: RequestParts & CallOptions = {},
  ) => {
    const operation = operationOf(operationId);
    const request = prepareRequest({ baseUrl, apiKey, userId }, operation, parts);
    for (let attempt = 0, waitedSeconds = 0; ; attempt++) {
      const answer = await sendOnce(send, operation, request, { signal, timeoutSeconds });
      const seconds = secondsUntilRepeat(answer, request.isRepeatable, attempt);
      if (seconds === undefined || waitedSeconds + seconds > patienceSeconds) return answer;
      await wait(seconds, signal);
      waitedSeconds += seconds;
    }
  };
  const useApiKey = (apiKey: string) => {
    currentKey = checkedApiKey(apiKey);
  };
  const clientFor = (userId: string | undefined): PartnerClient => {
    const callFor = call.bind(undefined, userId) as PartnerClient['call'];
    const listEvents: FeedReader['listEvents'] = (request) => callFor('listEvents', request);
    return { call: callFor, forOwner: clientFor, useApiKey, events: (given) => eventsOf({ listEvents, wait }, given) };
  };
  return clientFor(options.userId);
};

type SendOptions = { readonly signal: AbortSignal | undefined; readonly timeoutSeconds: number };

const sendOnce = async (
  send: typeof fetch,
  operation: Operation,
  { url, init, isRepeatable }: Prepared,
  { signal, timeoutSeconds }: SendOptions,
): Promise<Answer<OperationId>> => {
  const timeout = AbortSignal.timeout(timeoutSeconds * 1000);
  try {
    return await readAnswer(
      operation,
      await send(url, { ...init, signal: signal ? AbortSignal.any([signal, timeout]) : timeout }),
    );
  } catch (error) {
    // fetch throws a TypeError if the connection fails. The name is compared, because fetch may come from another realm.
    if (signal?.aborted || (!timeout.aborted && (error as Error).name !== 'TypeError')) throw error;
    return noAnswer(isRepeatable, error);
  }
};
