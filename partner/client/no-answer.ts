import type { NoAnswer, Refusal } from './answer.ts';
import type { OperationId } from './operation-types.ts';

/** What stands for an answer where none came. `cause` is what fetch has thrown. */
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

/** Asking again does not mend a certificate. */
export const isCertificateFault = (cause: unknown): boolean => /CERT|VERIFY/.test(reasonIn(cause)?.code ?? '');

const whatToDo = (isRepeatable: boolean, cause: unknown): string => {
  if (isCertificateFault(cause)) return 'Check the baseUrl, and which authorities this process trusts.';
  return isRepeatable
    ? 'Call again later.'
    : 'It may have been done, or not. Read how things stand before you call again.';
};

const reasonOf = (cause: unknown): string => reasonIn(cause)?.message ?? (cause as Error).message;

type Reason = { readonly code?: string; readonly message?: string };

/** Node.js says only there why a connection failed; other platforms do not say it. */
const reasonIn = (cause: unknown): Reason | undefined => (cause as { cause?: Reason }).cause;
