import { Problem } from '../../api/problem.ts';
import { ratePolicies } from '../../api/rate-policies.ts';
import { consumeToken } from '../../data/rate-limits/token-buckets.ts';
import { retryAfterField } from '../../domain/rate-limits/rate-limit-headers.ts';
import { bucketIdOf } from '../../domain/rate-limits/rate-limit-key.ts';
import { retryAfterMs } from '../../domain/rate-limits/token-bucket.ts';
import { known, type MiddlewareFactory } from '../call.ts';

/** Spends a token of the request's counter, or refuses and spends nothing. */
export const rateLimit: MiddlewareFactory = () => ({
  before: async (request) => {
    const { call } = request.context;
    const [counter, nowMs] = [known(request, 'counter'), known(request, 'nowMs')];
    const ratePolicy = known(request, 'ratePolicy');
    const limit = ratePolicies[ratePolicy];
    const tokenRequest = { bucketId: bucketIdOf(counter), limit, nowMs };
    const decision = await consumeToken(known(request, 'store'), tokenRequest, known(request, 'bucketArrivalMs'));
    call.bucketArrivalMs = decision.arrivalMs;
    if (decision.admitted) return;
    const waitMs = retryAfterMs(decision.arrivalMs, nowMs, limit);
    throw new Problem(
      'rate-limit-exceeded',
      { policy: ratePolicy, counter, limit, retryAfterMs: waitMs },
      { 'Retry-After': retryAfterField(waitMs) },
    );
  },
});
