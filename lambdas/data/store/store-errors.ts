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
