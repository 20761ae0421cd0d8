import type { Answer } from './answer.ts';
import { isCertificateFault } from './no-answer.ts';
import type { OperationId } from './operation-types.ts';

/** The first wait after a lost connection, of which nobody says how long to wait. */
const secondsAfterLostConnection = 1;

/**
 * After how many seconds to send a request again, or undefined where its answer is to be given back. A 429 is refused
 * before anything is done, so any request is sent again; after a 503 or without an answer, only one that can be repeated.
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

/** Rejects with the reason of the signal, as fetch does. */
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
