import type { ApplianceItemKey } from '../../lambdas/data/appliances.ts';
import type { Wishable } from '../../lambdas/domain/appliance.ts';

/** How long an appliance takes over a wish once it has seen it. */
export const fulfilAfterMs = 1000;

/** Remembers since when an appliance has seen which wishes; a newer wish for the same thing begins anew. */
export const createWishWatch = () => {
  const seen = new Map<string, { readonly version: number; readonly sinceMs: number }>();
  return {
    /** Whether there is a wish and the appliance has fulfilled it by now. */
    isFulfilled: ({ sk }: ApplianceItemKey, { wished, version }: Wishable, nowMs: number): boolean => {
      if (!wished) return false;
      const sighting = seen.get(sk);
      if (sighting?.version === version) return nowMs - sighting.sinceMs >= fulfilAfterMs;
      seen.set(sk, { version, sinceMs: nowMs });
      return false;
    },
  };
};
