import { stackNameOf } from '../../config/stack-name.ts';
import { arnOf, type Scope } from './scope.ts';
import type { Statement } from './statement.ts';

/**
 * The most that a role of the stack may ever do, whatever its own policies say: use what the stage has. Above all it makes
 * no roles, changes no policies and takes no other role.
 */
export const boundaryStatements = (scope: Scope): Statement[] => {
  const stack = stackNameOf(scope.stage);
  return [
    { actions: ['dynamodb:*'], resources: [arnOf(scope, 'dynamodb', `table/${stack}-*`)] },
    {
      actions: ['events:DescribeEventBus', 'events:PutEvents'],
      resources: [arnOf(scope, 'events', `event-bus/${stack}-*`)],
    },
    {
      // What is in a queue, and not who may use it.
      actions: [
        ...['sqs:ChangeMessageVisibility', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage'],
        'sqs:SendMessage',
      ],
      resources: [arnOf(scope, 'sqs', `${stack}-*`)],
    },
    // KMS gives a key an id of its own making; the key's policy leaves the rest to the account's roles.
    { actions: ['kms:GenerateMac'], resources: [arnOf(scope, 'kms', 'key/*')] },
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
