import { createHash } from 'node:crypto';
import { accessStackNameOf, arnOf, iamArnOf, type Scope, stackArnsOf } from './boundary.ts';

type Stage = Pick<Scope, 'stage'>;

/**
 * Returns the qualifier of the stage's bootstrap. `cdk bootstrap` puts it in the names of the bucket, the roles and the
 * parameter that it creates, so that these differ from those of other stages and other apps in the account. Some of the names
 * have room for only ten characters.
 */
export const qualifierOf = ({ stage }: Stage): string =>
  `pa${createHash('sha256').update(stage).digest('hex').slice(0, 8)}`;

/** Returns the name of the bootstrap stack. Like the access stack's, it does not begin with the name of the stage's stack. */
const bootstrapStackNameOf = ({ stage }: Stage): string => `PartnerApiBootstrap-${stage}`;

/** Returns the ARNs of the bootstrap roles that the CDK CLI assumes to deploy. */
export const bootstrapRolesOf = (scope: Scope): string[] =>
  ['deploy', 'file-publishing', 'lookup'].map((role) =>
    iamArnOf(scope, `role/cdk-${qualifierOf(scope)}-${role}-role-${scope.account}-${scope.region}`),
  );

/** Returns the ARN pattern of the files that a deployment uploads. */
export const assetsArnOf = (scope: Scope): string =>
  `arn:${scope.partition}:s3:::cdk-${qualifierOf(scope)}-assets-${scope.account}-${scope.region}/*`;

/** Returns the ARN of the parameter with the bootstrap version, which every template reads. */
export const bootstrapParameterArnOf = (scope: Scope): string =>
  arnOf(scope, 'ssm', `parameter/cdk-bootstrap/${qualifierOf(scope)}/version`);

/** Returns the name of the permissions boundary of the bootstrap's roles. */
export const bootstrapBoundaryNameOf = (stage: Stage): string => `${accessStackNameOf(stage)}-bootstrap`;

/**
 * Returns a boundary that limits the bootstrap's roles to the stacks of the stage. Without it, the deploy role may change every
 * stack of the account, and CloudFormation changes a stack with the role of its last deployment, which may be an
 * administrator's.
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

/** Returns the CDK CLI options that bootstrap a stage. CloudFormation's role gets only the execution policies. */
export const bootstrapOptions = (scope: Scope, executionPolicies: readonly string[]): string[] => [
  ...['bootstrap', `aws://${scope.account}/${scope.region}`],
  ...['--qualifier', qualifierOf(scope), '--toolkit-stack-name', bootstrapStackNameOf(scope)],
  ...['--cloudformation-execution-policies', executionPolicies.join(',')],
  ...['--custom-permissions-boundary', bootstrapBoundaryNameOf(scope), '--apply-permissions-boundary-to-all-roles'],
  '--termination-protection',
];
