import { UserFacingError } from '../errors/user-facing-error.ts';
import type { Resolve } from '../template/intrinsics.ts';
import { readResource, readResources } from '../template/resources.ts';
import { resourcesOf, type Template } from '../template/template.ts';
import { compilePolicies, type Decision, type PolicyDocument, type PolicyRequest } from './iam-policy.ts';
import { managedPolicy } from './managed-policies.ts';

/** Asks for something under a name, and may have what the policies of its role say. */
export type Principal = { readonly arn: string; readonly decide: (request: PolicyRequest) => Decision };

type RoleProperties = {
  readonly ManagedPolicyArns?: readonly string[];
  readonly Policies?: readonly { readonly PolicyDocument: PolicyDocument }[];
};

type PolicyProperties = { readonly PolicyDocument: PolicyDocument; readonly Roles?: readonly string[] };

/** A permissions boundary is a policy of another stack, in which it is not found here; what the role may do stands in its own. */
const knownRoleProperties = [
  ...['AssumeRolePolicyDocument', 'Description', 'ManagedPolicyArns', 'PermissionsBoundary', 'Policies'],
  ...['RoleName', 'Tags'],
];

/** Makes the principal that a function is in its role, as IAM sees it. */
export const principalInRole = (
  template: Template,
  resolve: Resolve,
  roleArn: string,
  sessionName: string,
): Principal => {
  const role = resourcesOf(template, 'AWS::IAM::Role').find(
    ({ logicalId }) => resolve({ 'Fn::GetAtt': [logicalId, 'Arn'] }) === roleArn,
  );
  if (!role) throw new UserFacingError(`The template has no role ${roleArn}, which ${sessionName} takes.`);
  const { Policies = [], ManagedPolicyArns = [] } = readResource<RoleProperties>(role, resolve, knownRoleProperties);
  const attached = readResources<PolicyProperties>(template, resolve, 'AWS::IAM::Policy', [
    ...['PolicyDocument', 'PolicyName', 'Roles'],
  ]).filter(({ Roles = [] }) => Roles.includes(resolve({ Ref: role.logicalId })));
  return {
    arn: `${roleArn.replace(':iam:', ':sts:').replace(':role/', ':assumed-role/')}/${sessionName}`,
    decide: compilePolicies([
      ...[...Policies, ...attached].map(({ PolicyDocument }) => PolicyDocument),
      ...ManagedPolicyArns.map((arn) => managedPolicy(arn, role.logicalId)),
    ]),
  };
};
