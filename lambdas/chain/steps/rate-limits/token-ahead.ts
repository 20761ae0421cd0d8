import { ratePolicies } from '../../../api/rate-policies.ts';
import { admissionId } from '../../../data/process-memory.ts';
import { consumeToken } from '../../../data/rate-limits/token-buckets.ts';
import { bucketIdOf } from '../../../domain/rate-limits/rate-limit-key.ts';
import type { Step } from '../step.ts';

/**
 * Begins to consume the token while the lookup is under way, if this process admitted such a request before. The answer
 * waits for both. If the lookup refuses, the token is lost once: what was remembered is taken here and only
 * `admissionMemory` puts it back.
 */
export const tokenAhead: Step<'tokenAhead'> =
  () =>
  ({ store, memory, presentedKey, sourceIp, rateLimitKey, ratePolicy, nowMs }) => {
    const arrivalMs = memory.admissions.take(admissionId(presentedKey, sourceIp, rateLimitKey));
    if (arrivalMs === undefined) return { tokenAhead: undefined };
    const tokenRequest = { bucketId: bucketIdOf(rateLimitKey), limit: ratePolicies[ratePolicy], nowMs };
    const decision = consumeToken(store, tokenRequest, arrivalMs);
    // A failure is met where the decision is awaited, which a refused request never reaches.
    decision.catch(() => undefined);
    return { tokenAhead: { rateLimitKey, decision } };
  };
