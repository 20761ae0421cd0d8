import type { NoAnswer, Refusal } from './answer.ts';
import type { OperationId } from './operation-types.ts';

/** The answer of a call that got none. `cause` is the error of fetch. */
export const noAnswer = (isRepeatable: boolean, cause: unknown): Refusal<OperationId> => {
  const problem: NoAnswer = {
    code: 'no-answer',
    status: undefined,
    title: 'The connection failed',
    detail: `${reasonOf(cause)}. ${whatToDo(isRepeatable, cause)}`,
    cause,
  };
  return {
    ok: false,
    problem,
    retryAfterSeconds: undefined,
    requestId: undefined,
    apiKeyExpiresAt: undefined,
    rateLimit: undefined,
  };
};

/** Whether the connection failed because of a certificate; then a repeat does not help. */
export const isCertificateFault = (cause: unknown): boolean => /CERT|VERIFY/.test(reasonIn(cause)?.code ?? '');

const whatToDo = (isRepeatable: boolean, cause: unknown): string => {
  if (isCertificateFault(cause)) return 'Check the baseUrl, and which authorities this process trusts.';
  return isRepeatable
    ? 'Call again later.'
    : 'Nobody knows whether it was done. Read the current state before you call again.';
};

const reasonOf = (cause: unknown): string => reasonIn(cause)?.message ?? (cause as Error).message;

type Reason = { readonly code?: string; readonly message?: string };

/** Node.js states in `cause` why a connection failed; other platforms do not state it. */
const reasonIn = (cause: unknown): Reason | undefined => (cause as { cause?: Reason }).cause;
