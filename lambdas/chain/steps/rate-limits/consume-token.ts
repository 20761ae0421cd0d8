import { ratePolicies } from '../../../api/rate-policies.ts';
import { consumeToken as consume } from '../../../data/rate-limits/token-buckets.ts';
import { bucketIdOf } from '../../../domain/rate-limits/rate-limit-key.ts';
import type { Step } from '../step.ts';

/** Consumes a token of the request's bucket, if there is one, unless that was begun ahead. */
export const consumeToken: Step<'consumeToken'> =
  () =>
  async ({ store, rateLimitKey, ratePolicy, seenArrivalMs, tokenAhead, nowMs }) => {
    if (tokenAhead?.rateLimitKey === rateLimitKey) return { tokenDecision: await tokenAhead.decision };
    const tokenRequest = { bucketId: bucketIdOf(rateLimitKey), limit: ratePolicies[ratePolicy], nowMs };
    return { tokenDecision: await consume(store, tokenRequest, seenArrivalMs) };
  };
