import { Problem } from '../../../api/problem.ts';
import { ratePolicies } from '../../../api/rate-policies.ts';
import { retryAfterField } from '../../../domain/rate-limits/rate-limit-headers.ts';
import { retryAfterMs } from '../../../domain/rate-limits/token-bucket.ts';
import type { Step } from '../step.ts';

/** Refuses a request that found no token, and says when there is one. */
export const rateLimit: Step<'rateLimit'> =
  () =>
  ({ tokenDecision: { admitted, arrivalMs }, rateLimitKey, ratePolicy, nowMs }) => {
    if (admitted) return undefined;
    const limit = ratePolicies[ratePolicy];
    const waitMs = retryAfterMs(arrivalMs, nowMs, limit);
    return new Problem(
      'rate-limit-exceeded',
      { policy: ratePolicy, counter: rateLimitKey, limit, retryAfterMs: waitMs },
      { 'Retry-After': retryAfterField(waitMs) },
    );
  };
