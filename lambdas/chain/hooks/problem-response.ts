import { Problem, problemBody, problemMediaType } from '../../api/problem.ts';
import type { ProblemDefinition } from '../../api/problems/definition.ts';
import { problems } from '../../api/problems.ts';
import { isStoreUnavailable } from '../../data/store/store-errors.ts';
import { type Middleware, RefusedError } from './middleware.ts';

/** Answers what was thrown: a problem as it is, a failing store as 503, anything else as 500 without its cause. */
export const problemResponse: Middleware = {
  onError: (request) => {
    const { code, occurrence, headers } = toProblem(request.error);
    const definition: ProblemDefinition = problems[code];
    request.response = {
      statusCode: definition.status,
      headers: { 'Content-Type': problemMediaType, ...definition.headers, ...headers },
      body: JSON.stringify(problemBody(code, request.context.facts.requestId, occurrence)),
    };
  },
};

/** The problem that an error is answered as. */
export const toProblem = (error: unknown): Problem => {
  if (error instanceof RefusedError) return error.problem;
  return new Problem(isStoreUnavailable(error) ? 'service-unavailable' : 'internal-error');
};
