import { readLookup } from '../../../data/lookup.ts';
import { bucketIdOf } from '../../../domain/rate-limits/rate-limit-key.ts';
import type { Step } from '../step.ts';
import { preloadsOf } from './preloads.ts';

/**
 * Reads in one go what the checks have to know. If such a request was admitted before, the token is being consumed
 * already, and what the endpoint wants brought along is read too; otherwise nothing of a gateway is read before its grant
 * is known, or the time of a refusal would tell which gateways exist.
 */
export const lookup: Step<'lookup'> =
  (endpoint) =>
  async ({ store, presentedKey, foundKey, rateLimitKey, tokenAhead, pathIds = {} }) => {
    const found = await readLookup(store, {
      companyId: presentedKey.companyId,
      gatewayId: pathIds.gatewayId,
      key: foundKey ? undefined : presentedKey,
      bucketId: tokenAhead ? undefined : bucketIdOf(rateLimitKey),
      preloads: tokenAhead && endpoint.preloads && preloadsOf(endpoint, pathIds),
    });
    return { lookup: { ...found, key: foundKey ?? found.key }, seenArrivalMs: found.bucketArrivalMs };
  };
