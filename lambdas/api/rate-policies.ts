/**
 * The token bucket of each rate policy: `burst` tokens at most, one more every `refillIntervalMs`.
 * The name is the policy name in the `RateLimit` headers. The numbers are rules 17, 18 and 21 of docs/rules.md.
 */
export const ratePolicies = {
  general: { refillIntervalMs: 500, burst: 5 },
  gateway: { refillIntervalMs: 2000, burst: 3 },
  'time-program': { refillIntervalMs: 10_000, burst: 1 },
} as const satisfies Record<string, RatePolicy>;

export type RatePolicy = { readonly refillIntervalMs: number; readonly burst: number };
export type RatePolicyName = keyof typeof ratePolicies;
