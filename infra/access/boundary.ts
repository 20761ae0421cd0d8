import { stackNameOf } from '../../config/schema.ts';

/** The account, region and stage that the rights of a deployment are limited to. */
export type Scope = {
  readonly partition: string;
  readonly account: string;
  readonly region: string;
  readonly stage: string;
  /** The region of the replicas of its tables, if there is one. */
  readonly replicaRegion?: string | undefined;
  /** The tables, by ARN, that another stage's stack has made for it. */
  readonly replicaTables?: readonly string[];
};

/** A statement of a policy; it allows unless it says otherwise. */
export type Statement = {
  readonly effect?: 'Deny';
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  readonly conditions?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
};

/**
 * The most that a role of the stack may ever do, whatever its own policies say: use what the stage has. Above all it makes
 * no roles, changes no policies and takes no other role.
 */
export const boundaryStatements = (scope: Scope): Statement[] => {
  const stack = stackNameOf(scope.stage);
  return [
    {
      actions: ['dynamodb:*'],
      resources: [
        arnOf(scope, 'dynamodb', `table/${stack}-*`),
        ...(scope.replicaTables ?? []).flatMap((table) => [table, `${table}/*`]),
      ],
    },
    {
      actions: ['events:DescribeEventBus', 'events:PutEvents'],
      resources: [arnOf(scope, 'events', `event-bus/${stack}-*`)],
    },
    {
      // What is in a queue, and not who may use it.
      actions: [
        ...['sqs:ChangeMessageVisibility', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage'],
        ...['sqs:SendMessage', 'sqs:CancelMessageMoveTask', 'sqs:ListMessageMoveTasks', 'sqs:StartMessageMoveTask'],
      ],
      resources: [arnOf(scope, 'sqs', `${stack}-*`)],
    },
    {
      // What is in an IP set.
      actions: ['wafv2:GetIPSet', 'wafv2:UpdateIPSet'],
      resources: [arnOf(scope, 'wafv2', `regional/ipset/${stack}-*`)],
    },
    // KMS gives a key an id of its own making; the key's policy leaves the rest to the account's roles.
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
      // The role that API Gateway logs with may do so, by AWS's own policy, in all log groups.
      actions: [
        ...['logs:CreateLogGroup', 'logs:CreateLogStream', 'logs:DescribeLogGroups', 'logs:DescribeLogStreams'],
        ...['logs:PutLogEvents', 'logs:GetLogEvents', 'logs:FilterLogEvents'],
        ...['logs:StartQuery', 'logs:GetQueryResults'],
      ],
      resources: ['*'],
    },
    // Reads that name no resource, or of which AWS does not document which they name.
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
 * The stack of the rights. No name in it begins with the name of the stage's stack: what may be done to resources of that
 * stack by their names may not be done to these.
 */
export const accessStackNameOf = ({ stage }: Stage): string => `PartnerApiAccess-${stage}`;

/** The policy that no role of the stack goes beyond. */
export const boundaryNameOf = (stage: Stage): string => `${accessStackNameOf(stage)}-boundary`;

/** The ARN of a resource in the account and the region. */
export const arnOf = ({ partition, region, account }: Scope, service: string, resource: string): string =>
  `arn:${partition}:${service}:${region}:${account}:${resource}`;

/** The ARN of a role or policy; IAM has no regions. */
export const iamArnOf = ({ partition, account }: Scope, resource: string): string =>
  `arn:${partition}:iam::${account}:${resource}`;

/** The stack of the stage, and those that it nests. */
export const stackArnsOf = (scope: Scope): string[] =>
  ['/*', '-*'].map((rest) => arnOf(scope, 'cloudformation', `stack/${stackNameOf(scope.stage)}${rest}`));

/** A policy document as IAM takes it. */
export const policyDocumentOf = (statements: readonly Statement[]) => ({
  Version: '2012-10-17',
  Statement: statements.map(({ effect = 'Allow', actions, resources, conditions }) => ({
    Effect: effect,
    Action: [...actions],
    Resource: [...resources],
    ...(conditions && { Condition: conditions }),
  })),
});
