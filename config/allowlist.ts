import { differenceOf, unionOf } from './cidr.ts';

/** The blocks of the resource policy: exactly the addresses that some company calls from, in the fewest blocks. */
export const compileAllowlist = (companies: readonly { readonly allowedCidrs: readonly string[] }[]): string[] =>
  unionOf(companies.flatMap(({ allowedCidrs }) => allowedCidrs));

/**
 * What a deployment of the compiled list would add to a deployed one, and what it would take away. As long as blocks are
 * missing, a deployment has to come before contracts are synced; while there is a surplus, the sync has to come first.
 */
export const allowlistDrift = (deployed: readonly string[], compiled: readonly string[]) => ({
  missing: differenceOf(compiled, deployed),
  surplus: differenceOf(deployed, compiled),
});

/** API Gateway's quota for a resource policy, in characters, unless the account has been given a higher one. */
export const defaultPolicyQuota = 8192;

/** Blocks that an IP set of AWS WAF takes. */
export const ipSetCapacity = 10_000;

/** What API Gateway makes of `execute-api:/`, in one of the partitions and regions with the longest names. */
const longestApiArn = 'arn:aws-us-gov:execute-api:us-gov-west-1:111122223333:abcdefghij/';

/**
 * The characters that a resource policy takes, from the template or as read from API Gateway. That writes the API's ARN
 * out when it stores a policy; as nothing says whether its quota is for the shorter form, the longer one is measured.
 */
export const policyLength = (policy: object): number =>
  JSON.stringify(policy).replaceAll('"execute-api:/', `"${longestApiArn}`).length;

/** Why API Gateway would refuse the policy, with the way out; `undefined` if it would not. */
export const policyLengthFault = (
  policy: object,
  blockCount: number,
  quota: number = defaultPolicyQuota,
): string | undefined => {
  const length = policyLength(policy);
  if (length <= quota) return undefined;
  return (
    `The resource policy for ${blockCount} CIDR blocks, merged already, has ${length} characters; API Gateway takes ` +
    `${quota}. Register fewer or wider blocks, or let AWS raise the account's quota and write it as ` +
    'resourcePolicyQuota into the configuration, or leave the allowlist to AWS WAF, which holds tens of thousands: docs/allowlist.md.'
  );
};
