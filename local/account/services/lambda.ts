import type { JsonAnswer } from '../json-answer.ts';

/** What a new account may run at once. */
const concurrentExecutions = 10;

/** Tells the settings of the account; functions are records of their stacks only. */
export const answerOfLambda = (path: string | undefined): JsonAnswer =>
  path?.startsWith('/2016-08-19/account-settings')
    ? { status: 200, body: { AccountLimit: { ConcurrentExecutions: concurrentExecutions } } }
    : { status: 400, body: { message: `Lambda does not know ${path} here.` } };
