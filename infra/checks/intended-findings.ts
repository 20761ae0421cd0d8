/** Findings that are intended, with the reason. All other findings of cdk-nag fail the synth. */
export const answers: Readonly<Record<string, string>> = {
  APIG2:
    'The functions validate requests themselves: API Gateway would answer a missing x-api-key with 400 instead of 401.',
  APIG3:
    'The resource policy refuses every unregistered address before it causes a billed call. A web ACL is used if the allowlist outgrows that policy.',
  APIG4:
    'Each function authenticates by API key in the first stages of its chain: an authorizer would add a call, could accept a deleted key from its cache, and would hide the cause of a refusal.',
  APIG6:
    'Execution logs contain request headers, and with them API keys. Access log and functions write one line per request without them.',
  COG4: 'Partners are companies with API keys, not users of a pool.',
  'IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]':
    'The managed policy that API Gateway documents for its account-wide logging role; AWS keeps it in step with the service.',
};

/** Findings that are intended for one part of the stack only, with the reason. */
export const answersOfParts: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  // CodeDeploy's role.
  Deployments: {
    'IAM5[Resource::*]':
      'CodeDeploy only reads aliases and alarms with these actions. AWS does not document the resources, and its managed policy has none. Actions that change something are limited to resources.',
  },
  // The queues and functions that connect the maker's systems.
  Integrations: {
    'IAM5[Resource::*]':
      'dynamodb:ListStreams, which Lambda requires in the role of a function with a stream as event source, does not support resource-level permissions.',
    SQS3: 'These queues are themselves dead-letter queues: of a rule, and of functions that read streams.',
  },
  // The scheduled jobs.
  Jobs: {
    'IAM5[Resource::*]':
      'logs:GetQueryResults, with which a job reads the result of its log query, does not support resource-level permissions. The query itself is limited to its log group.',
  },
  // The simulated homes.
  Sandbox: {
    SQS3: 'Nobody needs a control that could not be applied: the operator who sent it sees no effect, and sends it again.',
  },
  // The operators' roles.
  Operators: {
    'IAM5[Resource::*]':
      'lambda:GetAccountSettings, with which the doctor command reads the concurrency quota, and logs:GetQueryResults do not support resource-level permissions.',
    'IAM5[Resource::arn:<AWS::Partition>:cloudformation:<AWS::Region>:<AWS::AccountId>:stack/<AWS::StackName>/*]':
      'The pattern matches only this stack: CloudFormation appends an unpredictable id to the stack name.',
    'IAM5[Resource::arn:<AWS::Partition>:dynamodb:<AWS::Region>:<AWS::AccountId>:table/<AWS::StackName>-restored-*]':
      'The names of restored tables end in the time to which they were restored. No table of the stack has such a name.',
  },
};
