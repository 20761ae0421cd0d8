import { admissionId } from '../../../data/process-memory.ts';
import { readArrivalMs } from '../../../data/rate-limits/token-buckets.ts';
import { bucketIdOf, unknownGatewayKeyOf } from '../../../domain/rate-limits/rate-limit-key.ts';
import type { Step } from '../step.ts';

/**
 * Lets a request for a gateway that the contract does not cover consume from the one bucket that all of these share. How
 * full it is has to be known before a write, as all refusals of the company would else write to one item.
 */
export const unknownGateway: Step<'unknownGateway'> =
  () =>
  async ({ store, memory, lookup, presentedKey, sourceIp, rateLimitKey, ratePolicy, seenArrivalMs }) => {
    if (lookup.isGatewayGranted) return { rateLimitKey, ratePolicy, seenArrivalMs };
    const sharedKey = unknownGatewayKeyOf(presentedKey.companyId);
    const rememberedMs = memory.admissions.get(admissionId(presentedKey, sourceIp, sharedKey));
    return {
      rateLimitKey: sharedKey,
      ratePolicy: 'general',
      seenArrivalMs: rememberedMs ?? (await readArrivalMs(store, bucketIdOf(sharedKey))),
    };
  };
