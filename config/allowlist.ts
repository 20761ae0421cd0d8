import { differenceOf, unionOf } from './cidr-set.ts';
import type { Company } from './schema.ts';

/** The blocks of the resource policy: exactly the addresses that some company calls from, in the fewest blocks. */
export const compileAllowlist = (companies: readonly Pick<Company, 'allowedCidrs'>[]): string[] =>
  unionOf(companies.flatMap(({ allowedCidrs }) => allowedCidrs));

/**
 * What a deployment of the compiled list would add to a deployed one, and what it would take away. As long as blocks are
 * missing, a deployment has to come before contracts are synced; while there is a surplus, the sync has to come first.
 */
export const allowlistDrift = (deployed: readonly string[], compiled: readonly string[]) => ({
  missing: differenceOf(compiled, deployed),
  surplus: differenceOf(deployed, compiled),
});
