import { setTimeout } from 'node:timers/promises';

/** What is tried, and how often at most. */
export type Attempts = { readonly to: string; readonly atMost: number };

/**
 * Makes attempts until one gives a result; one that gives none has met somebody else who changes the same. Throws
 * StoreUnavailableError if all have.
 */
export const retrying = <Result>(attempts: Attempts, attempt: () => Promise<Result | undefined>): Promise<Result> =>
  retryingFrom(undefined, attempts, async () => (await attempt()) ?? again(undefined));

/** The same for attempts that go by what is known, which is what the one before has seen. */
export const retryingFrom = async <Known, Result>(
  first: Known,
  { to, atMost }: Attempts,
  attempt: (known: Known, count: number) => Promise<Result | Again<Known>>,
): Promise<Result> => {
  let known = first;
  for (let count = 0; count < atMost; count++) {
    const result = await attempt(known, count);
    if (!(result instanceof Again)) return result;
    known = result.seen;
  }
  throw new StoreUnavailableError(`All of ${atMost} attempts to ${to} have met somebody else's.`);
};

/** The result of an attempt that was overtaken, and has seen this. */
export const again = <Seen>(seen: Seen): Again<Seen> => new Again(seen);

class Again<Seen> {
  readonly seen: Seen;

  constructor(seen: Seen) {
    this.seen = seen;
  }
}

const firstCeilingMs = 25;
const lastCeilingMs = 400;

/** Waits with full jitter: anything up to a ceiling that doubles with each attempt. */
export const backOff = (attempt: number): Promise<void> =>
  setTimeout(Math.random() * Math.min(lastCeilingMs, firstCeilingMs * 2 ** attempt));

/** The store did not do what a sound store does within its time; the request may be sent again. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
}

const unavailable = new Set([
  'StoreUnavailableError',
  'AbortError',
  'TimeoutError',
  'InternalServerError',
  'LimitExceededException',
  'ProvisionedThroughputExceededException',
  'ReplicatedWriteConflictException',
  'RequestLimitExceeded',
  'ServiceUnavailable',
  'ServiceUnavailableException',
  'ThrottlingException',
  'TransactionConflictException',
  'TransactionInProgressException',
]);

/** Whether an error says that the store is down, slow or throttling, as opposed to our having asked it wrongly. */
export const isStoreUnavailable = (error: unknown): boolean =>
  error instanceof Error && (unavailable.has(error.name) || isServerFault(error) || isConnectionFault(error));

const throttleNames = ['ProvisionedThroughputExceededException', 'RequestLimitExceeded', 'ThrottlingException'];
const throttleCodes = ['ProvisionedThroughputExceeded', 'ThrottlingError'];

/** Whether DynamoDB has refused a command since too many come, be it for one item of a transaction. */
export const isThrottle = (error: unknown): boolean => {
  const { name = '', CancellationReasons = [] } = error as Error & {
    readonly CancellationReasons?: readonly { readonly Code?: string }[];
  };
  return throttleNames.includes(name) || CancellationReasons.some(({ Code = '' }) => throttleCodes.includes(Code));
};

const isServerFault = (error: Error & { $metadata?: { httpStatusCode?: number } }) =>
  (error.$metadata?.httpStatusCode ?? 0) >= 500;

/** What Node says of a connection that could not be made or broke, by its code. No other code is the store's doing. */
const connectionFaults = new Set([
  'EAI_AGAIN',
  'EAI_FAIL',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETRESET',
  'ENETUNREACH',
  'ENOTCONN',
  'ENOTFOUND',
  'EPIPE',
  'EPROTO',
  'ETIMEDOUT',
  'ERR_SOCKET_CLOSED',
  'ERR_SOCKET_CONNECTION_TIMEOUT',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_TLS_HANDSHAKE_TIMEOUT',
]);

const isConnectionFault = ({ code }: Error & { code?: unknown }) => connectionFaults.has(code as string);
