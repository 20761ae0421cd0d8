import { UserFacingError } from '../errors/user-facing-error.ts';
import type { PolicyDocument } from './iam-policy.ts';

const allow = (...actions: readonly string[]): PolicyDocument => ({
  Statement: [{ Effect: 'Allow', Action: actions, Resource: '*' }],
});

/** Holds, of the policies that AWS itself maintains, those that CDK attaches by itself. */
const managedPolicies: Readonly<Record<string, PolicyDocument>> = {
  'service-role/AmazonAPIGatewayPushToCloudWatchLogs': allow(
    ...['logs:CreateLogGroup', 'logs:CreateLogStream', 'logs:DescribeLogGroups', 'logs:DescribeLogStreams'],
    ...['logs:PutLogEvents', 'logs:GetLogEvents', 'logs:FilterLogEvents'],
  ),
  'service-role/AWSLambdaBasicExecutionRole': allow(
    ...['logs:CreateLogGroup', 'logs:CreateLogStream', 'logs:PutLogEvents'],
  ),
};

/** Gives what a managed policy says; one that is not known is an error that names it and its role. */
export const managedPolicy = (arn: string, role: string): PolicyDocument => {
  const policy = managedPolicies[arn.replace(/^arn:[^:]+:iam::aws:policy\//, '')];
  if (policy) return policy;
  throw new UserFacingError(`The local run does not know the managed policy ${arn} of ${role}.`);
};
