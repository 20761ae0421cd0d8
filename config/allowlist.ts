import type { Company } from './schema.ts';

/** Every block that some company calls from, once and in a fixed order. */
export const compileAllowlist = (companies: readonly Company[]): string[] =>
  [...new Set(companies.flatMap(({ allowedCidrs }) => allowedCidrs))].sort();
