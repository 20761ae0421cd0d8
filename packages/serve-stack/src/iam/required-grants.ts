import { UserFacingError } from '../errors/user-facing-error.ts';
import type { PolicyRequest } from './iam-policy.ts';
import type { Principal } from './principal.ts';

/** Refuses what AWS would refuse to create or could not run: `The role of the function x does not allow …`. */
export const requireGrants = (role: string, { decide }: Principal, accesses: readonly PolicyRequest[]): void => {
  const refused = accesses.find((access) => decide(access) !== 'allow');
  if (refused) throw new UserFacingError(`${role} does not allow ${refused.action} on ${refused.resource}.`);
};

/** Lists what it takes to read the stream of a table. */
export const streamAccesses = (streamArn: string): PolicyRequest[] => [
  ...['DescribeStream', 'GetRecords', 'GetShardIterator'].map((action) => ({
    action: `dynamodb:${action}`,
    resource: streamArn,
  })),
  { action: 'dynamodb:ListStreams', resource: '*' },
];
