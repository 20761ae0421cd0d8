import { createHash } from 'node:crypto';
import { accessStackNameOf, arnOf, iamArnOf, type Scope, stackArnsOf } from './boundary.ts';

type Stage = Pick<Scope, 'stage'>;

/**
 * Distinguishes what `cdk bootstrap` makes for this stage from what it makes for other stages and other apps of the account:
 * its bucket, its roles and its parameter have it in their names, of which some have room for ten characters.
 */
export const qualifierOf = ({ stage }: Stage): string =>
  `pa${createHash('sha256').update(stage).digest('hex').slice(0, 8)}`;

/** The stack of the bootstrap. As the stack of access, it has no name that begins with that of the stage's stack. */
export const bootstrapStackNameOf = ({ stage }: Stage): string => `PartnerApiBootstrap-${stage}`;

/** The roles of the bootstrap that the CDK's program takes to deploy. */
export const bootstrapRolesOf = (scope: Scope): string[] =>
  ['deploy', 'file-publishing', 'lookup'].map((role) =>
    iamArnOf(scope, `role/cdk-${qualifierOf(scope)}-${role}-role-${scope.account}-${scope.region}`),
  );

/** The files that a deployment uploads, for whoever reads them. */
export const assetsArnOf = (scope: Scope): string =>
  `arn:${scope.partition}:s3:::cdk-${qualifierOf(scope)}-assets-${scope.account}-${scope.region}/*`;

/** The parameter with the version of the bootstrap, which every template reads. */
export const bootstrapParameterArnOf = (scope: Scope): string =>
  arnOf(scope, 'ssm', `parameter/cdk-bootstrap/${qualifierOf(scope)}/version`);

/** The policy that no role of the bootstrap goes beyond. */
export const bootstrapBoundaryNameOf = (stage: Stage): string => `${accessStackNameOf(stage)}-bootstrap`;

/**
 * Keeps the roles of the bootstrap to the stacks of the stage. The one that deploys may change every stack of the account, and
 * CloudFormation changes a stack with the role of its last deployment, which may be that of an administrator.
 */
export const bootstrapBoundaryOf = (scope: Scope) => ({
  Version: '2012-10-17',
  Statement: [
    { Effect: 'Allow', Action: ['*'], Resource: ['*'] },
    {
      Effect: 'Deny',
      Action: [
        ...['ContinueUpdateRollback', 'CreateChangeSet', 'CreateStack', 'CreateStackRefactor', 'DeleteChangeSet'],
        ...['DeleteStack', 'ExecuteChangeSet', 'ExecuteStackRefactor', 'RollbackStack', 'SetStackPolicy'],
        ...['UpdateStack', 'UpdateTerminationProtection'],
      ].map((action) => `cloudformation:${action}`),
      NotResource: stackArnsOf(scope),
    },
  ],
});

/** The options with which the CDK's program bootstraps a stage. CloudFormation gets the execution policies, and no others. */
export const bootstrapOptions = (scope: Scope, executionPolicies: readonly string[]): string[] => [
  ...['bootstrap', `aws://${scope.account}/${scope.region}`],
  ...['--qualifier', qualifierOf(scope), '--toolkit-stack-name', bootstrapStackNameOf(scope)],
  ...['--cloudformation-execution-policies', executionPolicies.join(',')],
  ...['--custom-permissions-boundary', bootstrapBoundaryNameOf(scope), '--apply-permissions-boundary-to-all-roles'],
  '--termination-protection',
];
