import type { ApplianceItemKey } from '../../../lambdas/data/appliances/appliances.ts';
import type { Shadow } from '../../../lambdas/domain/appliances/appliance.ts';

/** An appliance takes so long over a requested change once it has seen it. */
export const fulfilAfterMs = 1000;

/** Remembers since when an appliance has seen which requested changes; a newer one for the same thing begins anew. */
export const createRequestedChangeWatch = () => {
  const seen = new Map<string, { readonly version: number; readonly sinceMs: number }>();
  return {
    /** Tells whether there is a requested change and the appliance has fulfilled it by now. */
    isFulfilled: ({ sk }: ApplianceItemKey, { desired, version }: Shadow, nowMs: number): boolean => {
      if (!desired) return false;
      const sighting = seen.get(sk);
      if (sighting?.version === version) return nowMs - sighting.sinceMs >= fulfilAfterMs;
      seen.set(sk, { version, sinceMs: nowMs });
      return false;
    },
  };
};
