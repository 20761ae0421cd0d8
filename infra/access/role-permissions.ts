import { stackNameOf } from '../../config/stack-name.ts';
import { boundaryNameOf, iamArnOf, type Scope } from './scope.ts';
import type { Statement } from './statement.ts';

/** A role is made, and given rights, only with the boundary that its rights end at. */
export const ofRoles = (scope: Scope): Statement[] => {
  const roles = [iamArnOf(scope, `role/${stackNameOf(scope.stage)}-*`)];
  const boundary = iamArnOf(scope, `policy/${boundaryNameOf(scope)}`);
  return [
    {
      actions: [
        ...['iam:AttachRolePolicy', 'iam:CreateRole', 'iam:DeleteRolePolicy', 'iam:DetachRolePolicy'],
        ...['iam:PutRolePermissionsBoundary', 'iam:PutRolePolicy'],
      ],
      resources: roles,
      conditions: { StringEquals: { 'iam:PermissionsBoundary': boundary } },
    },
    {
      actions: [
        ...['iam:DeleteRole', 'iam:GetRole', 'iam:GetRolePolicy', 'iam:ListAttachedRolePolicies'],
        ...['iam:ListRolePolicies', 'iam:ListRoleTags', 'iam:TagRole', 'iam:UntagRole'],
        ...['iam:UpdateAssumeRolePolicy', 'iam:UpdateRole', 'iam:UpdateRoleDescription'],
      ],
      resources: roles,
    },
  ];
};

/** Lets a service take a role of the stack, and no other service. */
export const passRole = (scope: Scope, service: string): Statement => ({
  actions: ['iam:PassRole'],
  resources: [iamArnOf(scope, `role/${stackNameOf(scope.stage)}-*`)],
  conditions: { StringEquals: { 'iam:PassedToService': service } },
});

/** Services make a role of their own when an account first uses them; its rights are theirs to choose. */
export const serviceLinkedRole = (scope: Scope, service: string): Statement => ({
  actions: ['iam:CreateServiceLinkedRole'],
  resources: [iamArnOf(scope, `role/aws-service-role/${service}/*`)],
  conditions: { StringEquals: { 'iam:AWSServiceName': service } },
});
