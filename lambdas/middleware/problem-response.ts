import { Problem, problemBody, problemMediaType } from '../api/problem.ts';
import { type ProblemDefinition, problems } from '../api/problems.ts';
import { isStoreUnavailable } from '../data/store-errors.ts';
import { retryAfterField } from '../domain/rate-limit-fields.ts';
import { known, type MiddlewareFactory } from './call.ts';

/** Answers what was thrown: a problem as it is, a failing store as 503, anything else as 500 without its cause. */
export const problemResponse: MiddlewareFactory = () => ({
  onError: (request) => {
    const { code, occurrence } = toProblem(request.error);
    const { status, headers }: ProblemDefinition = problems[code];
    request.response = {
      statusCode: status,
      headers: { 'Content-Type': problemMediaType, ...headers, ...retryAfter(occurrence) },
      body: JSON.stringify(problemBody(code, known(request, 'requestId'), occurrence)),
    };
  },
});

const toProblem = (error: unknown): Problem => {
  if (error instanceof Problem) return error;
  return new Problem(isStoreUnavailable(error) ? 'service-unavailable' : 'internal-error');
};

/** Whoever tells a client in milliseconds how long to wait tells it in the header too. */
const retryAfter = (occurrence: object) =>
  'retryAfterMs' in occurrence && { 'Retry-After': retryAfterField(Number(occurrence.retryAfterMs)) };
