import { setTimeout } from 'node:timers/promises';

/** What is attempted, as a verb phrase for the error message (`change a grant`), and the maximum number of attempts. */
export type Attempts = { readonly to: string; readonly atMost: number };

/**
 * Calls `attempt` until it returns a result. An attempt returns undefined if a concurrent write overtook it. Throws
 * StoreUnavailableError after `atMost` attempts without a result.
 */
export const retrying = <Result>(attempts: Attempts, attempt: () => Promise<Result | undefined>): Promise<Result> =>
  retryingFrom(undefined, attempts, async () => (await attempt()) ?? again(undefined));

/** Like `retrying`, but each attempt receives what the previous one saw (see `again`), and its index, from 0. */
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
  throw new StoreUnavailableError(`Gave up after ${atMost} attempts to ${to}, each in conflict with another write.`);
};

/** The result of an attempt that a concurrent write overtook, with what the next attempt starts from. */
export const again = <Seen>(seen: Seen): Again<Seen> => new Again(seen);

class Again<Seen> {
  readonly seen: Seen;

  constructor(seen: Seen) {
    this.seen = seen;
  }
}

const firstCeilingMs = 25;
const lastCeilingMs = 400;

/** Waits with full jitter: a random time up to a ceiling that doubles with each attempt. */
export const backOff = (attempt: number): Promise<void> =>
  setTimeout(Math.random() * Math.min(lastCeilingMs, firstCeilingMs * 2 ** attempt));

/** The store did not respond as it should within its time; the caller may send the request again. */
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
  'RequestLimitExceeded',
  'ServiceUnavailable',
  'ServiceUnavailableException',
  'ThrottlingException',
  'TransactionConflictException',
  'TransactionInProgressException',
]);

/** Whether an error means that the store is down, slow or throttling, as opposed to a mistake in our request. */
export const isStoreUnavailable = (error: unknown): boolean =>
  error instanceof Error && (unavailable.has(error.name) || isServerFault(error) || isConnectionFault(error));

const throttleNames = ['ProvisionedThroughputExceededException', 'RequestLimitExceeded', 'ThrottlingException'];
const throttleCodes = ['ProvisionedThroughputExceeded', 'ThrottlingError'];

/** Whether DynamoDB throttled a command, or one item of a transaction. */
export const isThrottle = (error: unknown): boolean => {
  const { name = '', CancellationReasons = [] } = error as Error & {
    readonly CancellationReasons?: readonly { readonly Code?: string }[];
  };
  return throttleNames.includes(name) || CancellationReasons.some(({ Code = '' }) => throttleCodes.includes(Code));
};

const isServerFault = (error: Error & { $metadata?: { httpStatusCode?: number } }) =>
  (error.$metadata?.httpStatusCode ?? 0) >= 500;

/** The error codes of Node.js for a connection that failed or broke. No other code is the store's fault. */
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
