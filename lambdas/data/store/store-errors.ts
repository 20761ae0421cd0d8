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

/** Node's own errors: ECONNREFUSED, ECONNRESET, EPIPE, ENOTFOUND, … */
const isConnectionFault = (error: Error & { code?: unknown; syscall?: unknown }) =>
  typeof error.code === 'string' && /^E[A-Z_]+$/.test(error.code);
