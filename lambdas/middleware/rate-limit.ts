import { Problem } from '../api/problem.ts';
import { rateClasses } from '../api/rate-classes.ts';
import { spendToken } from '../data/token-buckets.ts';
import { bucketIdOf } from '../domain/counter.ts';
import { retryAfterMs } from '../domain/token-bucket.ts';
import { known, type MiddlewareFactory } from './call.ts';

/** Spends a token of the request's counter, or refuses and spends nothing. */
export const rateLimit: MiddlewareFactory = ({ rateClass }) => ({
  before: async (request) => {
    const { call } = request.context;
    const [counter, nowMs] = [known(request, 'counter'), known(request, 'nowMs')];
    const limit = rateClasses[rateClass];
    const spending = { bucketId: bucketIdOf(counter), limit, nowMs };
    const decision = await spendToken(known(request, 'store'), spending, known(request, 'bucketArrivalMs'));
    call.bucketArrivalMs = decision.arrivalMs;
    if (decision.admitted) return;
    throw new Problem('rate-limit-exceeded', {
      policy: rateClass,
      counter,
      limit,
      retryAfterMs: retryAfterMs(decision.arrivalMs, nowMs, limit),
    });
  },
});
