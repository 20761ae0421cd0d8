/**
 * The token bucket of each rate class: `burst` tokens at most, one more every `refillIntervalMs`.
 * The name is the policy name in the `RateLimit` headers. Source: specification, section 8.
 */
export const rateClasses = {
  general: { refillIntervalMs: 500, burst: 5 },
  gateway: { refillIntervalMs: 2000, burst: 3 },
  'time-program': { refillIntervalMs: 10_000, burst: 1 },
} as const satisfies Record<string, RateLimit>;

export type RateLimit = { readonly refillIntervalMs: number; readonly burst: number };
export type RateClass = keyof typeof rateClasses;
