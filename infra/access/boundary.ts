import { stackNameOf } from '../../config/schema.ts';

/** The account, region and stage that the rights of a deployment are limited to. */
export type Scope = {
  readonly partition: string;
  readonly account: string;
  readonly region: string;
  readonly stage: string;
};

/** A statement of a policy. The effect defaults to Allow. */
export type Statement = {
  readonly effect?: 'Deny';
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  readonly conditions?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
};

/**
 * Returns the permissions boundary of the stack's roles: whatever their own policies say, they can only use the stage's
 * resources. Above all, they cannot create roles, change policies or assume another role.
 */
export const boundaryStatements = (scope: Scope): Statement[] => {
  const stack = stackNameOf(scope.stage);
  return [
    {
      actions: ['dynamodb:*'],
      resources: [arnOf(scope, 'dynamodb', `table/${stack}-*`)],
    },
    {
      actions: ['events:DescribeEventBus', 'events:PutEvents'],
      resources: [arnOf(scope, 'events', `event-bus/${stack}-*`)],
    },
    {
      // The messages of a queue, not the permissions on it.
      actions: [
        ...['sqs:ChangeMessageVisibility', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage'],
        ...['sqs:SendMessage', 'sqs:CancelMessageMoveTask', 'sqs:ListMessageMoveTasks', 'sqs:StartMessageMoveTask'],
      ],
      resources: [arnOf(scope, 'sqs', `${stack}-*`)],
    },
    {
      // The addresses of an IP set.
      actions: ['wafv2:GetIPSet', 'wafv2:UpdateIPSet'],
      resources: [arnOf(scope, 'wafv2', `regional/ipset/${stack}-*`)],
    },
    // KMS generates the ids of keys, so no name pattern can select them. The key's policy leaves access to the account's roles.
    { actions: ['kms:DescribeKey', 'kms:GenerateMac'], resources: [arnOf(scope, 'kms', 'key/*')] },
    {
      actions: ['lambda:InvokeFunction', 'lambda:UpdateAlias'],
      resources: [arnOf(scope, 'lambda', `function:${stack}-*`)],
    },
    {
      actions: ['cloudformation:Describe*', 'cloudformation:List*'],
      resources: [arnOf(scope, 'cloudformation', `stack/${stack}/*`)],
    },
    {
      actions: ['apigateway:GET'],
      resources: [`arn:${scope.partition}:apigateway:${scope.region}::/restapis/*`],
    },
    {
      // The role that API Gateway logs with has AWS's own policy, which covers all log groups.
      actions: [
        ...['logs:CreateLogGroup', 'logs:CreateLogStream', 'logs:DescribeLogGroups', 'logs:DescribeLogStreams'],
        ...['logs:PutLogEvents', 'logs:GetLogEvents', 'logs:FilterLogEvents'],
        ...['logs:StartQuery', 'logs:GetQueryResults'],
      ],
      resources: ['*'],
    },
    // Reads that name no resource, or whose resources AWS does not document.
    {
      actions: [
        ...['cloudwatch:DescribeAlarms', 'cloudwatch:GetMetricData', 'lambda:GetAccountSettings', 'lambda:GetAlias'],
        ...['dynamodb:ListStreams', 'lambda:GetEventSourceMapping', 'lambda:GetProvisionedConcurrencyConfig'],
      ],
      resources: ['*'],
    },
  ];
};

type Stage = Pick<Scope, 'stage'>;

/**
 * Returns the name of the access stack. No name in that stack begins with the name of the stage's stack, so permissions on the
 * stage's resources, which are granted by name prefix, do not include it.
 */
export const accessStackNameOf = ({ stage }: Stage): string => `PartnerApiAccess-${stage}`;

/** Returns the name of the permissions boundary of the stack's roles. */
export const boundaryNameOf = (stage: Stage): string => `${accessStackNameOf(stage)}-boundary`;

/** Returns the ARN of a resource in the scope's account and region. */
export const arnOf = ({ partition, region, account }: Scope, service: string, resource: string): string =>
  `arn:${partition}:${service}:${region}:${account}:${resource}`;

/** Returns the ARN of a role or policy. IAM has no regions. */
export const iamArnOf = ({ partition, account }: Scope, resource: string): string =>
  `arn:${partition}:iam::${account}:${resource}`;

/** Returns the ARN patterns of the stage's stack and of its nested stacks. */
export const stackArnsOf = (scope: Scope): string[] =>
  ['/*', '-*'].map((rest) => arnOf(scope, 'cloudformation', `stack/${stackNameOf(scope.stage)}${rest}`));

/** Returns a policy document in IAM's JSON format. */
export const policyDocumentOf = (statements: readonly Statement[]) => ({
  Version: '2012-10-17',
  Statement: statements.map(({ effect = 'Allow', actions, resources, conditions }) => ({
    Effect: effect,
    Action: [...actions],
    Resource: [...resources],
    ...(conditions && { Condition: conditions }),
  })),
});
