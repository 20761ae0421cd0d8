import { Problem } from '../api/problem.ts';
import { rateClasses } from '../api/rate-classes.ts';
import { spendToken } from '../data/token-buckets.ts';
import { bucketIdOf } from '../domain/counter.ts';
import { retryAfterField } from '../domain/rate-limit-fields.ts';
import { retryAfterMs } from '../domain/token-bucket.ts';
import { known, type MiddlewareFactory } from './call.ts';

/** Spends a token of the request's counter, or refuses and spends nothing. */
export const rateLimit: MiddlewareFactory = () => ({
  before: async (request) => {
    const { call } = request.context;
    const [counter, nowMs] = [known(request, 'counter'), known(request, 'nowMs')];
    const rateClass = known(request, 'rateClass');
    const limit = rateClasses[rateClass];
    const spending = { bucketId: bucketIdOf(counter), limit, nowMs };
    const decision = await spendToken(known(request, 'store'), spending, known(request, 'bucketArrivalMs'));
    call.bucketArrivalMs = decision.arrivalMs;
    if (decision.admitted) return;
    const waitMs = retryAfterMs(decision.arrivalMs, nowMs, limit);
    throw new Problem(
      'rate-limit-exceeded',
      { policy: rateClass, counter, limit, retryAfterMs: waitMs },
      { 'Retry-After': retryAfterField(waitMs) },
    );
  },
});
