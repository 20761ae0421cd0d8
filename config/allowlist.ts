import { differenceOf, unionOf } from './cidr.ts';

/** Returns the blocks of the resource policy: exactly the addresses that the companies call from, in the fewest blocks. */
export const compileAllowlist = (companies: readonly { readonly allowedCidrs: readonly string[] }[]): string[] =>
  unionOf(companies.flatMap(({ allowedCidrs }) => allowedCidrs));

/**
 * Returns the blocks that a deployment of the compiled list would add to the deployed list (`missing`) and remove from it
 * (`surplus`). If blocks are missing, deploy before contracts are synced; if there is a surplus, sync first.
 */
export const allowlistDrift = (deployed: readonly string[], compiled: readonly string[]) => ({
  missing: differenceOf(compiled, deployed),
  surplus: differenceOf(deployed, compiled),
});

/** API Gateway's quota for a resource policy, in characters, unless AWS has raised the account's. */
export const defaultPolicyQuota = 8192;

/** The number of blocks that an IP set of AWS WAF can hold. */
export const ipSetCapacity = 10_000;

/** The ARN that API Gateway writes for `execute-api:/`, in one of the partitions and regions with the longest names. */
const longestApiArn = 'arn:aws-us-gov:execute-api:us-gov-west-1:111122223333:abcdefghij/';

/**
 * Returns the length of a resource policy, from the template or as read from API Gateway, in characters. API Gateway writes out
 * the API's ARN when it stores a policy. Whether its quota applies to the shorter form is not documented, so the longer one is
 * measured.
 */
export const policyLength = (policy: object): number =>
  JSON.stringify(policy).replaceAll('"execute-api:/', `"${longestApiArn}`).length;

/** Returns why API Gateway would refuse the policy, with the remedy; `undefined` if it would accept it. */
export const policyLengthFault = (
  policy: object,
  blockCount: number,
  quota: number = defaultPolicyQuota,
): string | undefined => {
  const length = policyLength(policy);
  if (length <= quota) return undefined;
  return (
    `The resource policy for ${blockCount} CIDR blocks (already merged) has ${length} characters; the quota of API Gateway is ` +
    `${quota}. Register fewer or wider blocks, or ask AWS to raise the account's quota and write it as ` +
    'resourcePolicyQuota in the configuration, or use AWS WAF for the allowlist, which holds tens of thousands of blocks: docs/allowlist.md.'
  );
};
