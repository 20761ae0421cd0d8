import type { Principal } from '../dynamodb/dynamodb-proxy.ts';
import { requireKnown } from '../require-known.ts';
import type { Resolve } from '../template/intrinsics.ts';
import { resourcesOf, type Stack } from '../template/template.ts';
import { UserFacingError } from '../user-facing-error.ts';
import { compilePolicies } from './iam-policy.ts';

const knownProperties = ['AssumeRolePolicyDocument', 'Description', 'Policies', 'RoleName', 'Tags'];

type Policy = { readonly PolicyDocument: Parameters<typeof compilePolicies>[0][number] };

/** A function in its role, as IAM sees it. A role with policies from elsewhere (managed ones) is an error. */
export const principalInRole = (
  { template }: Stack,
  resolve: Resolve,
  roleArn: string,
  functionName: string,
): Principal => {
  const role = resourcesOf(template, 'AWS::IAM::Role').find(
    ({ logicalId }) => resolve({ 'Fn::GetAtt': [logicalId, 'Arn'] }) === roleArn,
  );
  if (!role) throw new UserFacingError(`The template has no role ${roleArn}, which ${functionName} takes.`);
  requireKnown(`property of the role ${role.logicalId}:`, Object.keys(role.Properties ?? {}), knownProperties);
  const policies = resolve<readonly Policy[]>(role.Properties?.Policies ?? []);
  return {
    arn: `${roleArn.replace(':iam:', ':sts:').replace(':role/', ':assumed-role/')}/${functionName}`,
    decide: compilePolicies(policies.map(({ PolicyDocument }) => PolicyDocument)),
  };
};
