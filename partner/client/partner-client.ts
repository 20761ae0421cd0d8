import type { Answer } from './answer.ts';
import { noAnswer } from './no-answer.ts';
import { type Operation, operationOf } from './operation.ts';
import type { CompanyOperationId, OperationId, RequestOf } from './operation-types.ts';
import { readAnswer } from './reading.ts';
import { checkedApiKey, type Prepared, prepareRequest, type RequestParts } from './request.ts';
import { secondsUntilRepeat, type Wait, wait as waitOnTimer } from './waiting.ts';

export type ClientOptions = {
  /** The API's address, such as `https://api.example.com/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** The owner to act for, as getContract shows it; without it, the client has only the operations that need none. */
  readonly userId?: string;
  /** Longest time that a call waits in all before it gives back a 429, a 503 or a lost connection. */
  readonly patienceSeconds?: number;
  /** Longest time that the answer to a request may take before its connection counts as lost. */
  readonly timeoutSeconds?: number;
  readonly fetch?: typeof fetch;
  readonly wait?: Wait;
};

export type CallOptions = {
  /** Another key than the client's, for this call. */
  readonly apiKey?: string;
  /** Ends the call, waits included; it rejects with the signal's reason. */
  readonly signal?: AbortSignal;
};

/** The second argument of a call; only where something in it is required, it is. */
export type CallArguments<Id extends OperationId> =
  Record<never, never> extends RequestOf<Id>
    ? [request?: RequestOf<Id> & CallOptions]
    : [request: RequestOf<Id> & CallOptions];

export type PartnerClient<Known extends OperationId = OperationId> = {
  /** Rejects only where the call is wrong or was aborted; whatever the service says, and its silence, is an answer. */
  readonly call: <Id extends Known>(operationId: Id, ...request: CallArguments<Id>) => Promise<Answer<Id>>;
  /** The key of all calls from now on; those under way end with theirs. */
  readonly useApiKey: (apiKey: string) => void;
};

type OperationsWith<Options> = Options extends { userId: string } ? OperationId : CompanyOperationId;

export const createPartnerClient = <Options extends ClientOptions>(
  options: Options,
): PartnerClient<OperationsWith<Options>> => {
  const { baseUrl, userId, patienceSeconds = 30, timeoutSeconds = 10 }: ClientOptions = options;
  const { fetch: send = fetch, wait = waitOnTimer }: ClientOptions = options;
  if (!baseUrl.startsWith('https://'))
    throw new TypeError(
      `The baseUrl is '${baseUrl}' and has to begin with https://, since every request carries a key.`,
    );
  let currentKey = checkedApiKey(options.apiKey);

  const call = async (
    operationId: OperationId,
    { apiKey = currentKey, signal, ...parts }: RequestParts & CallOptions = {},
  ) => {
    const operation = operationOf(operationId);
    const request = prepareRequest({ baseUrl, apiKey, userId }, operation, parts);
    for (let waitedSeconds = 0; ; ) {
      const answer = await sendOnce(send, operation, request, { signal, timeoutSeconds });
      const seconds = secondsUntilRepeat(answer, request.isRepeatable);
      if (seconds === undefined || waitedSeconds + seconds > patienceSeconds) return answer;
      await wait(seconds, signal);
      waitedSeconds += seconds;
    }
  };
  const useApiKey = (apiKey: string) => {
    currentKey = checkedApiKey(apiKey);
  };
  return { call, useApiKey } as PartnerClient;
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
    // Told by its name, since fetch may be of another realm: a TypeError says that the connection failed.
    if (signal?.aborted || (!timeout.aborted && (error as Error).name !== 'TypeError')) throw error;
    return noAnswer(isRepeatable, error);
  }
};
