import type { Answer } from './answer.ts';
import { isCertificateFault } from './no-answer.ts';
import type { OperationId } from './operation-types.ts';

/** A lost connection does not say how long to wait. */
const secondsAfterLostConnection = 1;

/**
 * The number of seconds after which to send a request again, or undefined if the call should return its answer. The service
 * refuses with 429 before it does anything, so every request may be sent again. After a 503 or without an answer, only a
 * repeatable request may be.
 */
export const secondsUntilRepeat = (answer: Answer<OperationId>, isRepeatable: boolean): number | undefined => {
  if (answer.ok) return undefined;
  const { problem, retryAfterSeconds } = answer;
  if (problem.status === 429) return retryAfterSeconds;
  if (problem.status === 503 && isRepeatable) return retryAfterSeconds;
  if (problem.code === 'no-answer' && isRepeatable && !isCertificateFault(problem.cause))
    return secondsAfterLostConnection;
  return undefined;
};

export type Wait = (seconds: number, signal: AbortSignal | undefined) => Promise<void>;

/** Waits. Rejects with the reason of the signal, as fetch does. */
export const wait: Wait = (seconds, signal) =>
  new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, seconds * 1000);
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted) abort();
  });
